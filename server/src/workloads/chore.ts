import type { Clock, Log } from '@millrace/engine';
import type { Chore } from '@millrace/workload-kit';

/** Runs it now and then; at once where there is more to do. One that fails is reported, and runs again in its time. */
export function runChore(
  { name, everyMs, runOnce }: Chore,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): () => void {
  let cancelTimer = clock.after(everyMs, round);

  function round(): void {
    runOnce().then(
      ({ more }) => again(more ? 0 : everyMs),
      (err: unknown) => {
        log.warn({ err, chore: name }, 'a chore of a workload failed');
        again(everyMs);
      },
    );
  }

  function again(ms: number): void {
    cancelTimer = clock.after(ms, round);
  }

  return () => cancelTimer();
}
