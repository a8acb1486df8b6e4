import { type NewJob, type Store, wrapped } from '@millrace/engine';
import type { MainStore } from './parts.ts';

const PASSED_ON = [
  'name',
  'keeps',
  'now',
  'renew',
  'settle',
  'cancel',
  'retry',
  'erase',
  'get',
  'list',
  'summaries',
  'inspect',
  'close',
  'gatherMs',
  'enqueueIn',
  'chunks',
  'followers',
  'schedules',
  'upkeep',
  'amend',
  'rearrange',
] as const satisfies readonly (keyof Store)[];

/** A store that keeps jobs and nothing else, beside the one that keeps the rest: pauses and workers are the main store's. */
export function beside(
  store: Store,
  main: MainStore,
  now: () => number,
  /** How long a count is good enough: counting an org's records is a call that somebody counts. */
  countsForMs = 60_000,
  /** Hears what was enqueued here. */
  made: (jobs: readonly NewJob[]) => void = () => {},
): Store {
  let counted: { readonly at: number; readonly counts: ReturnType<Store['counts']> } | null = null;

  return wrapped(store, PASSED_ON, {
    async enqueue({ jobs }) {
      const enqueued = await store.enqueue({ jobs });
      made(jobs.filter((_, index) => enqueued[index]?.created === true));
      return enqueued;
    },
    async claim(params) {
      const paused = new Set((await main.control.paused()).map(({ kind }) => kind));
      const wants = params.wants.filter(({ kind }) => !paused.has(kind));
      return store.claim({ ...params, wants, limit: wants.length === 0 ? 0 : params.limit });
    },
    counts() {
      if (counted === null || now() - counted.at >= countsForMs) {
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
    control: main.control,
  });
}
