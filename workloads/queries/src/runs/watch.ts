import type { Clock } from '@millrace/engine';
import type { Live } from '@millrace/workload-kit';
import type { RunRecord } from './record.ts';
import { RUN_TOPIC, type RunStore } from './store.ts';

/** A run as it is, then again whenever it has changed, until it is over or nobody wants to know. */
export type WatchRun = (run: RunRecord, signal: AbortSignal) => AsyncGenerator<RunRecord>;

/** Announcements can get lost, and some databases bring none. */
const LOOK_EVERY_MS = 5_000;

export function createWatch(parts: { store: RunStore; live: Live; clock: Clock }): WatchRun {
  const { store, live, clock } = parts;
  return async function* watch(given, signal) {
    let wake: () => void = () => {};
    let isNews = true;
    const news = (): void => {
      isNews = true;
      wake();
    };
    // Listening begins before the first look, so that nothing falls between.
    const stop = live.listen(RUN_TOPIC, (ids) => {
      if (ids === null || ids.includes(given.id)) news();
    });
    signal.addEventListener('abort', news);
    try {
      let told = '';
      while (!signal.aborted) {
        isNews = false;
        const run = await store.record(given.seq);
        if (run === null || signal.aborted) return;
        const now = JSON.stringify({ ...run, readAt: 0 });
        if (now !== told) yield run;
        told = now;
        if (run.completedAt !== null) return;
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
