import type { Claimed, ClaimedJob } from '@millrace/engine';
import type { MemoryStore } from '@millrace/store-memory';

// Stores that are wrong about who has a job, for how long, and what it did.

export function staleIsAlready(store: MemoryStore): Partial<MemoryStore> {
  return {
    settle: async (params) =>
      (await store.settle(params)).map((answer) => (answer === 'stale' ? 'already' : answer)),
  };
}

export function forgetAttempts(store: MemoryStore): Partial<MemoryStore> {
  return { claim: (params) => changeJobs(store.claim(params), (job) => ({ ...job, attempt: 1 })) };
}

async function changeJobs(
  claimed: Promise<Claimed>,
  change: (job: ClaimedJob) => ClaimedJob,
): Promise<Claimed> {
  const answer = await claimed;
  return { ...answer, jobs: answer.jobs.map(change) };
}

export function giveTwice(): (store: MemoryStore) => MemoryStore {
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

export function renewNothing(): Partial<MemoryStore> {
  return { renew: async ({ leases }) => leases.map(() => 'renewed') };
}

export function replayOthers(): (store: MemoryStore) => MemoryStore {
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

export function ignoreQuota(store: MemoryStore): Partial<MemoryStore> {
  return {
    claim: (params) =>
      store.claim({ ...params, wants: params.wants.map(({ kind, limit }) => ({ kind, limit })) }),
  };
}

export function ignorePauses({ control }: MemoryStore): Partial<MemoryStore> {
  return { control: { ...control, pause: async () => true } };
}

export function ignoreDelays(store: MemoryStore): Partial<MemoryStore> {
  return {
    settle: (params) =>
      store.settle({
        settlements: params.settlements.map((each) =>
          'delayMs' in each.outcome ? { ...each, outcome: { ...each.outcome, delayMs: 0 } } : each,
        ),
      }),
  };
}

export function forgetCursors(store: MemoryStore): Partial<MemoryStore> {
  return {
    chunks: {
      checkpoint: (params) =>
        store.chunks.checkpoint({
          ...params,
          checkpoints: params.checkpoints.map(({ lease, step, children }) => ({
            lease,
            step,
            children,
          })),
        }),
    },
  };
}

export function mixResults(store: MemoryStore): Partial<MemoryStore> {
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

/** Whoever went away with its last attempt is given up, alone or not. */
export function blameEveryone(store: MemoryStore): Partial<MemoryStore> {
  return {
    async claim(params) {
      const answer = await store.claim(params);
      const { jobs } = await store.list({ filter: { state: 'QUEUED' }, limit: 100 });
      const lost = jobs.filter((job) => answer.takenOver > 0 && job.attempt + 1 >= job.maxAttempts);
      return { ...answer, lost: [...answer.lost, ...lost] };
    },
  };
}

/** Suspects among others, as if nothing had happened to them. */
export function trustSuspects(store: MemoryStore): Partial<MemoryStore> {
  return {
    async claim(params) {
      const answer = await store.claim(params);
      if (!answer.suspects || params.alone === true || answer.jobs.length > 0) return answer;
      const alone = await store.claim({ ...params, alone: true });
      return { ...alone, lost: answer.lost, takenOver: answer.takenOver };
    },
  };
}

/** The store writes down another worker than the one that claims. */
export function misnameWorkers(store: MemoryStore): Partial<MemoryStore> {
  return { claim: (params) => store.claim({ ...params, worker: 'someone else' }) };
}
