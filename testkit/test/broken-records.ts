import type { MemoryStore } from '@millrace/store-memory';

// Stores that are wrong about which jobs there are, and what people did to them.

export function fireTwice(store: MemoryStore): Partial<MemoryStore> {
  return {
    schedules: {
      ...store.schedules,
      async fire(params) {
        const answer = await store.schedules.fire(params);
        if (answer.type !== 'taken' || params.job === null) return answer;
        const [made] = await store.enqueue({ jobs: [params.job] });
        return made === undefined ? answer : { type: 'fired', id: made.id };
      },
    },
  };
}

export function childrenTwice(store: MemoryStore): Partial<MemoryStore> {
  return {
    settle: (params) =>
      store.settle({
        settlements: params.settlements.map((each) => ({
          ...each,
          children: [...each.children, ...each.children],
        })),
      }),
  };
}

export function loseJobs(store: MemoryStore): Partial<MemoryStore> {
  return {
    enqueue: async ({ jobs }) =>
      jobs.map((_, index) => ({ id: `${store.name}-9${index}000`, created: false })),
  };
}

export function makeKeysUnique(): (store: MemoryStore) => MemoryStore {
  let requests = 0;
  return (store) => ({
    ...store,
    enqueue: (params) =>
      store.enqueue({
        jobs: params.jobs.map((job) =>
          job.key === undefined
            ? job
            : { ...job, key: { ...job.key, value: `${job.key.value} ${(requests += 1)}` } },
        ),
      }),
  });
}

export function forgetCancels(store: MemoryStore): Partial<MemoryStore> {
  return {
    async cancel({ select }) {
      if ('filter' in select) return store.cancel({ select });
      const running: string[] = [];
      for (const id of select.ids)
        if ((await store.get({ id }))?.state === 'PROCESSING') running.push(id);
      const { canceled } = await store.cancel({
        select: { ids: select.ids.filter((id) => !running.includes(id)) },
      });
      return { canceled, requested: running };
    },
  };
}

export function forgetEarly(store: MemoryStore): Partial<MemoryStore> {
  const otherwise = { SUCCEEDED: 1, FAILED: 1, CANCELED: 1 };
  return {
    upkeep: { ...store.upkeep, prune: () => store.upkeep.prune({ keep: {}, otherwise }) },
  };
}

/** Says of every job asked for that it starts over. */
export function retryAnything(store: MemoryStore): Partial<MemoryStore> {
  return {
    async retry({ select }) {
      const { jobs } = await store.list({ filter: { state: 'SUCCEEDED' }, limit: 5 });
      const { ids } = await store.retry({ select });
      const all = [...ids, ...jobs.map(({ id }) => id)];
      return { retried: all.length, ids: all };
    },
  };
}

export function closeAnything(store: MemoryStore): Partial<MemoryStore> {
  return {
    followers: {
      ...store.followers,
      closeGates: async () => [{ rule: 'join', key: '["","x"]', arrived: { north: 'mem-1' } }],
    },
  };
}

/** The right number is answered, and nothing is erased. */
export function promiseErasure(store: MemoryStore): Partial<MemoryStore> {
  return {
    async erase({ subject }) {
      const { jobs } = await store.list({ filter: {}, limit: 10_000 });
      return jobs.filter((job) => job.subject === subject).length;
    },
  };
}
