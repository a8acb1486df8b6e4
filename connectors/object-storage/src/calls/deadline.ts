/** The end of one request: nothing has moved for too long, or its caller does not want it any more. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Starts the time again: something has moved. */
  rearm(): void;
  /** No time runs while it is the reader who takes his time. */
  pause(): void;
  ended(): Ending | null;
  /** Lets go of the timer and of the caller's signal. */
  clear(): void;
}

export type Ending = 'timeout' | 'canceled';

/**
 * A timer and a controller of its own: what `AbortSignal.timeout` and `AbortSignal.any` give can be collected as garbage before
 * they fire, when nothing but a request of undici's listens.
 */
export function createDeadline(ms: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isCleared = false;
  const onCaller = (): void => end('canceled');

  function end(why: Ending): void {
    if (controller.signal.aborted) return;
    clear();
    controller.abort(why);
  }

  function clear(): void {
    isCleared = true;
    clearTimeout(timer);
    caller?.removeEventListener('abort', onCaller);
  }

  function rearm(): void {
    clearTimeout(timer);
    if (!isCleared) timer = setTimeout(() => end('timeout'), ms);
  }

  if (caller?.aborted === true) end('canceled');
  else {
    caller?.addEventListener('abort', onCaller, { once: true });
    rearm();
  }
  return {
    signal: controller.signal,
    rearm,
    pause: () => clearTimeout(timer),
    ended: () => (controller.signal.aborted ? (controller.signal.reason as Ending) : null),
    clear,
  };
}
