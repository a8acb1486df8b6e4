/**
 * Runs something that must end within `ms`, or sooner if `caller` is aborted.
 *
 * The timer holds the controller, and `run` holds both. `AbortSignal.any([…, AbortSignal.timeout(ms)])` is held by
 * nothing: once collected as garbage it never fires, and an answer without an end was read for as long as it came. The linter
 * therefore refuses `AbortSignal.timeout`.
 */
export async function withinTime<T>(
  ms: number,
  caller: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const late = (): void =>
    controller.abort(new DOMException(`timeout after ${ms} ms`, 'TimeoutError'));
  const canceled = (): void => controller.abort(caller?.reason);
  const timer = setTimeout(late, ms);
  if (caller?.aborted === true) canceled();
  caller?.addEventListener('abort', canceled, { once: true });
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', canceled);
  }
}

/**
 * For somebody who waits for an end, but no longer than `ms`: the last that a watcher reported until then, or `first`. Without
 * time nobody watches.
 */
export async function lastWithin<T>(
  ms: number,
  caller: AbortSignal,
  first: T,
  watch: (signal: AbortSignal) => AsyncIterable<T>,
): Promise<T> {
  if (ms === 0) return first;
  return withinTime(ms, caller, async (signal) => {
    let last = first;
    for await (const seen of watch(signal)) last = seen;
    return last;
  });
}
