import type { Clock } from '@millrace/engine';

/** Null when the time is over first. What was waited for goes on unwatched, so it must not reject. */
export async function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T | null> {
  let cancelTimer = (): void => {};
  const late = new Promise<null>((resolve) => {
    cancelTimer = clock.after(ms, () => resolve(null));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    cancelTimer();
  }
}
