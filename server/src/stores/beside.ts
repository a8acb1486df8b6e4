import type { NewJob, Store } from '@millrace/engine';
import { defined } from '@millrace/workload-kit';
import type { EveryMember, MainStore } from './parts.ts';

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

  const members: EveryMember<Store> = {
    name: store.name,
    keeps: store.keeps,
    now: () => store.now(),
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
    renew: (params) => store.renew(params),
    settle: (params) => store.settle(params),
    cancel: (params) => store.cancel(params),
    retry: (params) => store.retry(params),
    erase: (params) => store.erase(params),
    get: (params) => store.get(params),
    list: (params) => store.list(params),
    summaries: (params) => store.summaries(params),
    counts() {
      if (counted === null || now() - counted.at >= countsForMs) {
        const counts = store.counts();
        counted = { at: now(), counts };
        counts.catch(() => (counted = null));
      }
      return counted.counts;
    },
    inspect: (params) => store.inspect(params),
    watch(listener) {
      const leave = [
        store.watch(listener),
        main.watch((hint) => hint.type === 'control' && listener(hint)),
      ];
      return () => leave.forEach((each) => each());
    },
    close: () => store.close(),
    gatherMs: store.gatherMs,
    enqueueIn: store.enqueueIn,
    chunks: store.chunks,
    followers: store.followers,
    schedules: store.schedules,
    control: main.control,
    upkeep: store.upkeep,
    amend: store.amend,
    rearrange: store.rearrange,
  };
  return defined(members);
}
