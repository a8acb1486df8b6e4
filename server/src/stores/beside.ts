import type { Store } from '@millrace/engine';

/** Counting an org's records is a call that somebody counts. */
const COUNTS_FOR_MS = 60_000;

/**
 * A store that keeps jobs and nothing else, beside the one that keeps the rest: pauses, workers and what processes
 * tell each other are the main store's.
 */
export function beside(store: Store, main: Store, now: () => number): Store {
  let counted: { readonly at: number; readonly counts: ReturnType<Store['counts']> } | null = null;

  return {
    ...store,
    async claim(params) {
      const paused = new Set((await main.paused()).map(({ kind }) => kind));
      const wants = params.wants.filter(({ kind }) => !paused.has(kind));
      return store.claim({ ...params, wants, limit: wants.length === 0 ? 0 : params.limit });
    },
    counts() {
      if (counted === null || now() - counted.at > COUNTS_FOR_MS) {
        const counts = store.counts();
        counted = { at: now(), counts };
        counts.catch(() => (counted = null));
      }
      return counted.counts;
    },
    watch(listener) {
      const leave = [
        store.watch(listener),
        main.watch((hint) => hint.type === 'control' && listener(hint)),
      ];
      return () => leave.forEach((each) => each());
    },
    announce: (params) => main.announce(params),
    pause: (params) => main.pause(params),
    resume: (params) => main.resume(params),
    paused: () => main.paused(),
    reportWorker: (params) => main.reportWorker(params),
    workers: () => main.workers(),
  };
}
