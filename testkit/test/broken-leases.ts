import type { Claimed, ClaimedJob, Store } from '@millrace/engine';

// Stores that are wrong about who has a job, for how long, and what it did.

export function staleIsAlready(store: Store): Partial<Store> {
  return {
    settle: async (params) =>
      (await store.settle(params)).map((answer) => (answer === 'stale' ? 'already' : answer)),
  };
}

export function forgetAttempts(store: Store): Partial<Store> {
  return { claim: (params) => changeJobs(store.claim(params), (job) => ({ ...job, attempt: 1 })) };
}

async function changeJobs(
  claimed: Promise<Claimed>,
  change: (job: ClaimedJob) => ClaimedJob,
): Promise<Claimed> {
  const answer = await claimed;
  return { ...answer, jobs: answer.jobs.map(change) };
}

export function giveTwice(): (store: Store) => Store {
  let last: ClaimedJob[] = [];
  return (store) => ({
    ...store,
    async claim(params) {
      const answer = await store.claim(params);
      const again =
        params.replay === true
          ? []
          : last.filter(({ kind }) => params.wants.some((want) => want.kind === kind));
      last = answer.jobs.slice(0, 1);
      return { ...answer, jobs: [...answer.jobs, ...again] };
    },
  });
}

export function renewNothing(): Partial<Store> {
  return { renew: async ({ leases }) => leases.map(() => 'renewed') };
}

export function replayOthers(): (store: Store) => Store {
  let last: ClaimedJob[] = [];
  return (store) => ({
    ...store,
    async claim(params) {
      const answer = await store.claim(params);
      if (params.replay === true) return { ...answer, jobs: last };
      if (answer.jobs.length > 0) last = answer.jobs;
      return answer;
    },
  });
}

export function ignoreQuota(store: Store): Partial<Store> {
  return {
    claim: (params) =>
      store.claim({ ...params, wants: params.wants.map(({ kind, limit }) => ({ kind, limit })) }),
  };
}

export function ignorePauses(): Partial<Store> {
  return { pause: async () => true };
}

export function ignoreDelays(store: Store): Partial<Store> {
  return {
    settle: (params) =>
      store.settle({
        settlements: params.settlements.map((each) =>
          'delayMs' in each.outcome ? { ...each, outcome: { ...each.outcome, delayMs: 0 } } : each,
        ),
      }),
  };
}

export function forgetCursors(store: Store): Partial<Store> {
  return {
    checkpoint: (params) =>
      store.checkpoint({
        ...params,
        checkpoints: params.checkpoints.map(({ lease, step, children }) => ({
          lease,
          step,
          children,
        })),
      }),
  };
}

export function mixResults(store: Store): Partial<Store> {
  return {
    settle: (params) =>
      store.settle({
        settlements: params.settlements.map((each) =>
          each.outcome.move === 'succeed'
            ? { ...each, outcome: { ...each.outcome, result: '{"by":0}' } }
            : each,
        ),
      }),
  };
}
