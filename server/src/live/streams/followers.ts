import type { Clock } from '@millrace/engine';
import { commentFrame } from './frames.ts';
import type { Places } from './places.ts';

/** The events of a workload as bytes, for one reader. Throws `too_many_streams` before anything is sent. */
export type Follow = (events: AsyncIterable<unknown>, reader: Reader) => AsyncIterable<Uint8Array>;

export interface Reader {
  /** The caller, who may have so many streams. */
  readonly caller: string;
  /** When the token ends, in milliseconds since 1970; null: never. */
  readonly expiresAt: number | null;
  /** Aborted when the reader has gone, and when the answer is over. */
  readonly signal: AbortSignal;
}

export interface Followers {
  readonly follow: Follow;
  size(): number;
  /** Ends all of them, with this word. */
  end(comment: string): void;
}

/** A client takes a line on which nothing has come for 45 s for dead. */
const BEAT_MS = 15_000;

export function createFollowers(params: {
  clock: Clock;
  /** Milliseconds since 1970. */
  now: () => number;
  places: Places;
}): Followers {
  const { clock, now, places } = params;
  const ends = new Set<(comment: string) => void>();

  function follow(events: AsyncIterable<unknown>, reader: Reader): AsyncIterable<Uint8Array> {
    const { caller, expiresAt, signal } = reader;
    const leave = places.take(caller);
    let end: (comment: string) => void = () => {};
    const ended = new Promise<string>((resolve) => (end = resolve));
    ends.add(end);
    const expire =
      expiresAt === null
        ? () => {}
        : clock.after(Math.max(0, expiresAt - now()), () => end('The token has expired.'));
    const close = (): void => {
      expire();
      ends.delete(end);
      leave();
    };
    // Not when the frames end: of a reader who left at once, nobody asks for the first.
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    return framesOf(events[Symbol.asyncIterator](), ended, clock);
  }

  return {
    follow,
    size: () => ends.size,
    end(comment) {
      for (const end of ends) end(comment);
    },
  };
}

/** Each event, and a word now and then that the line is alive. */
async function* framesOf(
  events: AsyncIterator<unknown>,
  ended: Promise<string>,
  clock: Clock,
): AsyncGenerator<Uint8Array, void> {
  const end = ended.then((comment) => ({ comment }));
  let next = events.next();
  for (;;) {
    let stopBeat = (): void => {};
    const beat = new Promise<'beat'>((resolve) => {
      stopBeat = clock.after(BEAT_MS, () => resolve('beat'));
    });
    const came = await Promise.race([next, beat, end]).finally(stopBeat);
    if (came === 'beat') yield commentFrame('alive');
    else if ('comment' in came) return yield commentFrame(came.comment);
    else if (came.done === true) return;
    else {
      yield Buffer.from(`data: ${JSON.stringify(came.value)}\n\n`);
      next = events.next();
    }
  }
}
