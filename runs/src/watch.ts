import type { Clock } from '@millrace/engine';
import type { Live } from '@millrace/workload-kit';
import { type RunRecord, isOver } from './record.ts';

/** Gives a run as it is, then again whenever it has changed, until it is over or the signal is aborted. */
export type WatchRun<Run> = (id: string, signal: AbortSignal) => AsyncGenerator<Run>;

/** Announcements can get lost, and some databases bring none. */
const LOOK_EVERY_MS = 5_000;

export function createWatch<Run extends Pick<RunRecord, 'state'>>(parts: {
  topic: string;
  find: (id: string) => Promise<Run | null>;
  live: Live;
  clock: Clock;
}): WatchRun<Run> {
  const { topic, find, live, clock } = parts;
  return async function* watch(id, signal) {
    let wake: () => void = () => {};
    let isNews = true;
    const news = (): void => {
      isNews = true;
      wake();
    };
    // Listening begins before the first look, so that nothing falls between.
    const stop = live.listen(topic, (ids) => {
      if (ids === null || ids.includes(id)) news();
    });
    signal.addEventListener('abort', news);
    try {
      let given = '';
      while (!signal.aborted) {
        isNews = false;
        const run = await find(id);
        if (run === null || signal.aborted) return;
        const now = JSON.stringify(run, (key, value: unknown) => (key === 'readAt' ? 0 : value));
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

/** The events of a stream: one for each time that the watched run has changed. */
export async function* eventsOf<Type extends string, Run>(type: Type, seen: AsyncIterable<Run>) {
  for await (const run of seen) yield { type, run };
}
