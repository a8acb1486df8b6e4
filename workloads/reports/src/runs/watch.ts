import type { Clock } from '@millrace/engine';
import type { Live } from '@millrace/workload-kit';
import { REPORT_TOPIC } from './log.ts';
import type { Runs } from './runs.ts';
import { type RunSight, isOver } from './sight.ts';

/** A run as it is, then again whenever it has changed, until it is over or nobody wants to know. */
export type WatchRun = (id: string, signal: AbortSignal) => AsyncGenerator<RunSight>;

/** Announcements can get lost, some databases bring none, and the end of a job is not announced at all. */
const LOOK_EVERY_MS = 1_000;

export function createWatch(parts: {
  runs: Pick<Runs, 'find'>;
  live: Live;
  clock: Clock;
}): WatchRun {
  const { runs, live, clock } = parts;
  return async function* watch(id, signal) {
    let wake: () => void = () => {};
    let isNews = true;
    const news = (): void => {
      isNews = true;
      wake();
    };
    // Listening begins before the first look, so that nothing falls between.
    const stop = live.listen(REPORT_TOPIC, (ids) => {
      if (ids === null || ids.includes(id)) news();
    });
    signal.addEventListener('abort', news);
    try {
      let given = '';
      while (!signal.aborted) {
        isNews = false;
        const run = await runs.find(id);
        if (run === null || signal.aborted) return;
        const now = JSON.stringify({ ...run, readAt: 0 });
        if (now !== given) yield run;
        given = now;
        if (isOver(run)) return;
        const due = clock.after(LOOK_EVERY_MS, news);
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (isNews || signal.aborted) resolve();
        });
        due();
      }
    } finally {
      stop();
      signal.removeEventListener('abort', news);
    }
  };
}
