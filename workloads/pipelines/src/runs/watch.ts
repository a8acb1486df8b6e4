import type { Clock } from '@millrace/engine';
import type { Live } from '@millrace/workload-kit';
import type { WholeRun } from './record.ts';
import { PIPELINE_TOPIC, type RunStore } from './store.ts';

/** A run as it is, then again whenever it has changed, until it is over or nobody wants to know. */
export type WatchRun = (id: string, signal: AbortSignal) => AsyncGenerator<WholeRun>;

/** Announcements can get lost, and some databases bring none. */
const LOOK_EVERY_MS = 5_000;

export function createWatch(parts: { store: RunStore; live: Live; clock: Clock }): WatchRun {
  const { store, live, clock } = parts;
  return async function* watch(id, signal) {
    let wake: () => void = () => {};
    let isNews = true;
    const news = (): void => {
      isNews = true;
      wake();
    };
    // Listening begins before the first look, so that nothing falls between.
    const stop = live.listen(PIPELINE_TOPIC, (ids) => {
      if (ids === null || ids.includes(id)) news();
    });
    signal.addEventListener('abort', news);
    try {
      let told = '';
      while (!signal.aborted) {
        isNews = false;
        const whole = await store.find(id);
        if (whole === null || signal.aborted) return;
        const now = JSON.stringify({ ...whole, run: { ...whole.run, readAt: 0 } });
        if (now !== told) yield whole;
        told = now;
        if (whole.run.state !== 'running') return;
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
