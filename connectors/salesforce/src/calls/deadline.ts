/** The end of one request: its time is up, or its caller does not want it any more. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Starts the time again: something has moved. */
  rearm(): void;
  /** No time runs while it is the caller who takes his time. */
  pause(): void;
  /** Why the signal fired. */
  ended(): 'timeout' | 'canceled' | null;
  /** Lets go of the timer and of the caller's signal. */
  clear(): void;
}

export function createDeadline(ms: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let why: 'timeout' | 'canceled' | null = null;
  let timer: NodeJS.Timeout | undefined;
  let cleared = false;

  function end(reason: 'timeout' | 'canceled'): void {
    why ??= reason;
    clear();
    controller.abort();
  }

  const onCaller = (): void => end('canceled');

  function clear(): void {
    cleared = true;
    clearTimeout(timer);
    caller?.removeEventListener('abort', onCaller);
  }

  function rearm(): void {
    clearTimeout(timer);
    if (!cleared) timer = setTimeout(() => end('timeout'), ms);
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
    ended: () => why,
    clear,
  };
}
