import { randomUUID } from 'node:crypto';
import { MarketingCloudError, withMessage } from '../errors.ts';
import type { CallOptions, CallReport, Stats } from '../types.ts';
import { type Deadline, createDeadline } from './deadline.ts';
import type { Gate } from './gate.ts';
import type { Pauses } from './pauses.ts';
import { pauseMs } from './retry.ts';
import { headerText, scrub } from './scrub.ts';
import type { Session } from './login.ts';
import type { Tokens } from './token.ts';
import { type Answer, type Wire, type WireRequest, failure } from './wire.ts';

/**
 * The way of a call: through the gate, with a token, sent, read. A refused token is renewed once; what may be sent again is sent
 * again; then the call is reported, however it ended.
 */
export interface Caller {
  call<T>(call: Call<T>): Promise<T>;
  /** The token of a business unit, without a call. */
  session(mid: string, options: CallOptions): Promise<Session>;
  stats(): Omit<Stats, 'tokens'>;
}

export interface Call<T> {
  readonly mid: string;
  /** As in CallReport. */
  readonly operation: string;
  /** It changes nothing: it may be sent again when nobody knows whether it was done. */
  readonly isRead: boolean;
  readonly options: CallOptions;
  request(session: Session): WireRequest;
  /** Throws what the answer refuses. */
  read(answer: Answer): T;
}

export interface CallerParams {
  readonly timeoutMs: number;
  readonly wire: Wire;
  readonly gate: Gate;
  readonly tokens: Tokens;
  readonly pauses: Pauses;
  /** Never in a message. */
  readonly clientSecret: string;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly onCall: (report: CallReport) => void;
}

/** How far a call has come. */
interface Way {
  readonly startedAt: number;
  readonly correlationId: string;
  repeats: number;
  renewals: number;
  requests: number;
  status: number | null;
}

export function createCaller(parts: CallerParams): Caller {
  const { now, tokens, gate, wire, pauses } = parts;
  let calls = 0;
  const byOperation = new Map<string, number>();

  async function call<T>(asked: Call<T>): Promise<T> {
    const way: Way = {
      startedAt: now(),
      correlationId: headerText(asked.options.correlationId ?? randomUUID()),
      repeats: 0,
      renewals: 0,
      requests: 0,
      status: null,
    };
    for (;;) {
      try {
        const value = await attempt(asked, way);
        report(asked, way, null);
        return value;
      } catch (error) {
        if (!(error instanceof MarketingCloudError)) throw error;
        if (await goesOn(asked, way, error)) continue;
        report(asked, way, error.code);
        throw error;
      }
    }
  }

  async function goesOn<T>(asked: Call<T>, way: Way, error: MarketingCloudError): Promise<boolean> {
    // Refused before it did anything, since it is the token that was refused: this holds for writes as well.
    if (isTokenRefused(error) && way.renewals === 0) {
      way.renewals += 1;
      return true;
    }
    const { isRead, options } = asked;
    const pause = pauseMs({ error, isRead, repeats: way.repeats, random: parts.random });
    if (pause === null) return false;
    try {
      await parts.sleep(pause, options.signal);
    } catch {
      // The caller gave up during the pause: the error before it is reported.
      return false;
    }
    way.repeats += 1;
    return true;
  }

  async function attempt<T>(asked: Call<T>, way: Way): Promise<T> {
    const { mid, options } = asked;
    way.status = null;
    pauses.admit(mid);
    const leave = await gate.enter(options.signal);
    const deadline = createDeadline(parts.timeoutMs, options.signal);
    try {
      const session = await orEnded(tokens.get(mid), deadline);
      const answer = await exchange(asked, way, { session, deadline });
      try {
        return asked.read(answer);
      } catch (thrown) {
        throw refused(asked, way, { session, thrown });
      }
    } finally {
      deadline.clear();
      leave();
    }
  }

  async function exchange<T>(
    asked: Call<T>,
    way: Way,
    { session, deadline }: { readonly session: Session; readonly deadline: Deadline },
  ): Promise<Answer> {
    const request = asked.request(session);
    const headers = { ...request.headers, 'x-correlation-id': way.correlationId };
    try {
      const answer = await wire.send({ ...request, headers }, deadline);
      way.status = answer.status;
      count(asked, way);
      return answer;
    } catch (error) {
      if (error instanceof MarketingCloudError && error.outcome !== 'notSent') count(asked, way);
      throw error;
    }
  }

  /** What follows from a refusal for the calls after this one, and what its caller may read of it. */
  function refused<T>(
    { mid }: Call<T>,
    way: Way,
    { session, thrown }: { readonly session: Session; readonly thrown: unknown },
  ): unknown {
    if (!(thrown instanceof MarketingCloudError)) return thrown;
    pauses.note(mid, thrown);
    let message = scrub(thrown.message, [session.token, parts.clientSecret]);
    if (isTokenRefused(thrown)) {
      tokens.refused(mid, session);
      if (way.renewals > 0) {
        message += ` A new token was refused too: does the installed package have business unit ${mid} and all scopes?`;
      }
    }
    return message === thrown.message ? thrown : withMessage(thrown, message);
  }

  function count<T>({ operation }: Call<T>, way: Way): void {
    calls += 1;
    way.requests += 1;
    byOperation.set(operation, (byOperation.get(operation) ?? 0) + 1);
  }

  function report<T>({ mid, operation }: Call<T>, way: Way, errorCode: string | null): void {
    parts.onCall({
      mid,
      operation,
      status: way.status,
      errorCode,
      durationMs: now() - way.startedAt,
      retried: way.repeats + way.renewals,
      requests: way.requests,
      correlationId: way.correlationId,
    });
  }

  async function tokenOf(mid: string, { signal }: CallOptions): Promise<Session> {
    const deadline = createDeadline(parts.timeoutMs, signal);
    try {
      return await orEnded(tokens.get(mid), deadline);
    } finally {
      deadline.clear();
    }
  }

  return {
    call,
    session: tokenOf,
    stats: () => ({ calls, byOperation: Object.fromEntries(byOperation) }),
  };
}

/** Of a call, that is; a refused client is left out: another token would not help there, and none was to be had. */
function isTokenRefused({ kind, outcome }: MarketingCloudError): boolean {
  return kind === 'session' && outcome === 'refused';
}

/**
 * Waits for the token until the deadline. The request for it goes on when this caller leaves: others may wait for the
 * same token.
 */
function orEnded<T>(promise: Promise<T>, deadline: Deadline): Promise<T> {
  const { signal } = deadline;
  return new Promise((resolve, reject) => {
    const onEnd = (): void => reject(failure(null, { started: false, deadline }));
    if (signal.aborted) onEnd();
    else signal.addEventListener('abort', onEnd, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onEnd));
  });
}
