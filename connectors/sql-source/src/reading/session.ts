import { aborted, badSql, OWN, sourceError, SourceError, SourceUnavailable } from '../errors.ts';
import type pg from 'pg';

/**
 * A line on which one statement runs at a time. The first failure ends it: the transaction is lost, and its snapshot with
 * it. Whoever waits hears of the end at once, whether or not the database answers.
 */
export interface Session {
  /** A statement whose answer is awaited. `sql` is what the caller handed over, and `before` what we put in front of it. */
  ask<T>(
    work: () => Promise<T>,
    asked?: { readonly sql: string; readonly before: string },
  ): Promise<T>;
  /** A statement that takes as long as it goes on. */
  hold<T>(work: () => Promise<T>): Promise<T>;
  fail(error: SourceError): void;
  end(): Promise<void>;
}

interface SessionOptions {
  /** A statement that is not answered by then never will be: the line is silent. */
  readonly answerWithinMs: number;
  readonly signal?: AbortSignal | undefined;
}

export function createSession(line: Line, { answerWithinMs, signal }: SessionOptions): Session {
  let over: SourceError | null = null;
  let isRunning = false;
  let ended: Promise<void> | null = null;
  let breakOff: (error: SourceError) => void = () => {};

  const onAbort = (): void => fail(aborted(signal?.reason));
  const onLost = (): void => fail(connectionLost());
  line.client.once('end', onLost);
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });

  function fail(error: SourceError): void {
    over ??= error;
    breakOff(over);
    ended ??= stop();
  }

  /** The database does not notice that a client is gone until it has something to send, which may be an hour later. */
  async function stop(): Promise<void> {
    forget();
    if (isRunning) await line.cancel();
    await line.cut();
  }

  async function leave(): Promise<void> {
    forget();
    over ??= hasEnded();
    await line.close();
  }

  function forget(): void {
    line.client.off('end', onLost);
    signal?.removeEventListener('abort', onAbort);
  }

  async function hold<T>(work: () => Promise<T>): Promise<T> {
    if (over !== null) throw over;
    if (isRunning) throw new Error('A reading has one statement at a time.');
    isRunning = true;
    const broken = new Promise<never>((_, reject) => {
      breakOff = reject;
    });
    try {
      const value = await Promise.race([work(), broken]);
      isRunning = false;
      // Whatever ended the transaction has ended its rules too.
      if (line.client.getTransactionStatus() !== 'T')
        throw badSql('The SQL ended its transaction.');
      return value;
    } catch (thrown) {
      const error = sourceError(thrown);
      // The database itself has answered that it stopped.
      if (over === null && !(error instanceof SourceUnavailable)) isRunning = false;
      fail(error);
      throw over ?? error;
    } finally {
      breakOff = () => {};
    }
  }

  function ask<T>(work: () => Promise<T>, asked = NOTHING): Promise<T> {
    const timer = setTimeout(() => fail(noAnswer(answerWithinMs)), answerWithinMs);
    const translated = (thrown: unknown): never => {
      throw sourceError(thrown, asked.sql, asked.before);
    };
    return hold(() => work().catch(translated)).finally(() => clearTimeout(timer));
  }

  return {
    ask,
    hold,
    fail,
    end() {
      if (isRunning) fail(hasEnded());
      ended ??= leave();
      return ended;
    },
  };
}

const NOTHING = { sql: '', before: '' };

function hasEnded(): SourceError {
  return new SourceError('The reading has ended.', { code: OWN.closed, retryable: false });
}

function connectionLost(): SourceError {
  return new SourceUnavailable('The source ended the connection.', { code: OWN.connectionLost });
}

function noAnswer(ms: number): SourceError {
  return new SourceUnavailable(`The source did not answer within ${ms / 1_000} s.`, {
    code: OWN.noProgress,
  });
}

/** A connection that one reading has for itself, and the ways to end it. */
export interface Line {
  readonly client: pg.Client;
  /** Stops the statement that runs. Never throws; resolves when the database knows of it, or cannot be reached. */
  cancel(): Promise<void>;
  /** With a goodbye. Resolves when nothing of the session is left. */
  close(): Promise<void>;
  /** Without a goodbye: the other end may be gone, or at work. Resolves as `close` does. */
  cut(): Promise<void>;
}

/** Bytes that have arrived: a row of many megabytes is progress, long before it is there. */
export function bytesArrived({ client }: Line): number {
  const stream = client.connection.stream as { readonly bytesRead?: number };
  return stream.bytesRead ?? 0;
}

/**
 * Calls `onStall` once, when `progress` has given the same for `withinMs`. Null is no stall: whoever is waited for is not
 * the one that is watched. Looked at four times in that span, since a timer per row would cost more than the row.
 */
export function watchProgress(params: {
  readonly progress: () => number | null;
  readonly withinMs: number;
  readonly onStall: () => void;
}): () => void {
  const { progress, withinMs, onStall } = params;
  let last = progress();
  let still = 0;
  const look = (): void => {
    const now = progress();
    still = now === null || now !== last ? 0 : still + 1;
    last = now;
    if (still >= LOOKS) {
      stop();
      onStall();
    }
  };
  // Rows that have arrived while the process was busy are read first.
  const timer = setInterval(() => setImmediate(look), withinMs / LOOKS);
  const stop = (): void => clearInterval(timer);
  return stop;
}

const LOOKS = 4;
