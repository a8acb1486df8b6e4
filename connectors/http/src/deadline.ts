import type { Ending, Peer } from './errors.ts';

/** The end of one request: its time is up, its caller does not want it any more, or it is over. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** False: the time runs from the start to the last byte. True: only while nothing moves. */
  readonly idle: boolean;
  /** Something has moved, so the time starts again. Without effect unless `idle`. */
  rearm(): void;
  /** No time runs while the reader takes his. Without effect unless `idle`. */
  pause(): void;
  /** Why the signal fired. */
  ended(): Ending | null;
  /** Gives up what is still under way, and lets go of the timer and of the caller's signal. */
  clear(): void;
  /**
   * Waits for what the request needs, a token say, but not past its end. What makes it goes on: others may wait for the
   * same.
   */
  orEnded<T>(needed: Promise<T>, peer: Peer): Promise<T>;
}

/**
 * A timer and a controller of its own: what `AbortSignal.timeout` and `AbortSignal.any` give can be collected as garbage before
 * they fire, when nothing but a request listens. The timer keeps a process alive that waits for an answer only.
 */
export function createDeadline(params: {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
  readonly idle?: boolean;
}): Deadline {
  const { ms, signal: caller, idle = false } = params;
  const controller = new AbortController();
  const { signal } = controller;
  const onCaller = (): void => end('canceled');
  let timer: NodeJS.Timeout | undefined;

  function end(why: Ending): void {
    if (signal.aborted) return;
    clearTimeout(timer);
    caller?.removeEventListener('abort', onCaller);
    controller.abort(why);
  }

  function start(): void {
    clearTimeout(timer);
    if (!signal.aborted) timer = setTimeout(() => end('timeout'), ms);
  }

  if (caller?.aborted === true) end('canceled');
  caller?.addEventListener('abort', onCaller, { once: true });
  start();
  const ended = (): Ending | null => (signal.aborted ? (signal.reason as Ending) : null);
  return {
    signal,
    idle,
    rearm: () => idle && start(),
    pause: () => idle && clearTimeout(timer),
    ended,
    clear: () => end('canceled'),
    orEnded: (needed, peer) =>
      new Promise((resolve, reject) => {
        const onEnd = (): void => reject(peer.ended(ended() ?? 'canceled', 'notSent'));
        if (signal.aborted) onEnd();
        signal.addEventListener('abort', onEnd, { once: true });
        needed.then(resolve, reject).finally(() => signal.removeEventListener('abort', onEnd));
      }),
  };
}
