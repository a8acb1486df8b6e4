/** The end of one request: its time is up, or its caller does not want it any more. */
export interface Deadline {
  readonly signal: AbortSignal;
  ended(): Ending | null;
  /** Lets go of the timer and of the caller's signal. */
  clear(): void;
}

export type Ending = 'timeout' | 'canceled';

export function createDeadline(ms: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const onCaller = (): void => end('canceled');
  // The timer is referenced, unlike that of AbortSignal.timeout: it keeps a process alive that waits for an answer only.
  const timer = setTimeout(() => end('timeout'), ms);

  function end(why: Ending): void {
    clear();
    controller.abort(why);
  }

  function clear(): void {
    clearTimeout(timer);
    caller?.removeEventListener('abort', onCaller);
  }

  if (caller?.aborted === true) end('canceled');
  else caller?.addEventListener('abort', onCaller, { once: true });
  return {
    signal: controller.signal,
    ended: () => (controller.signal.aborted ? (controller.signal.reason as Ending) : null),
    clear,
  };
}
