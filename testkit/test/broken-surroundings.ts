import type { ChunkPart, Dependants, Store } from '@millrace/engine';

// The surroundings of the store and the engine: rules, and lines that change what they carry.

export function forgetGates(dependants: Dependants): Dependants {
  return (job) =>
    dependants(job).filter(({ gate }) => gate === undefined || gate.slot !== gate.slots[0]);
}

export function openGates(dependants: Dependants): Dependants {
  return (job) => dependants(job).map(({ child }) => ({ child }));
}

export function dropProgress(store: Store): Store {
  return withCheckpoint(store, (params, checkpoint) =>
    params.checkpoints.some(({ cursor }) => cursor !== undefined)
      ? checkpoint(params)
      : store.renew({
          leases: params.checkpoints.map(({ lease }) => lease),
          leaseMs: params.leaseMs,
        }),
  );
}

export function askForMore(store: Store): Store {
  return {
    ...store,
    claim: (params) =>
      store.claim({
        ...params,
        limit: params.limit + 2,
        wants: params.wants.map((want) => ({ ...want, limit: want.limit + 2 })),
      }),
  };
}

export function cancelAtWill(store: Store): Store {
  return {
    ...store,
    settle: (params) =>
      store.settle({
        settlements: params.settlements.map((each) =>
          each.outcome.move === 'retry' ? { ...each, outcome: { move: 'cancel' } } : each,
        ),
      }),
  };
}

/** The chunk before comes once more, after its successor. */
export function repeatChunksLate(): (store: Store) => Store {
  let before: Checkpoints | null = null;
  return (store) =>
    withCheckpoint(store, async (params, checkpoint) => {
      const answers = await checkpoint(params);
      if (before !== null) void checkpoint(asIfNew(before)).catch(() => {});
      before = params.checkpoints.some(({ cursor }) => cursor !== undefined) ? params : before;
      return answers;
    });
}

type Checkpoints = Parameters<ChunkPart['checkpoint']>[0];

function withCheckpoint(
  store: Store,
  act: (
    params: Checkpoints,
    checkpoint: ChunkPart['checkpoint'],
  ) => ReturnType<ChunkPart['checkpoint']>,
): Store {
  const { chunks } = store;
  if (chunks === undefined) return store;
  const checkpoint = (params: Checkpoints): ReturnType<ChunkPart['checkpoint']> =>
    chunks.checkpoint(params);
  return { ...store, chunks: { checkpoint: (params) => act(params, checkpoint) } };
}

/** With a step that the store has not seen, as if it did not look at steps. */
function asIfNew(params: Checkpoints): Checkpoints {
  return {
    ...params,
    checkpoints: params.checkpoints.map((each) => ({ ...each, step: each.step + 1_000 })),
  };
}

/** Drops what a worker hands back at its end, while the worker believes that it has done so. */
export function dropHandBacks(store: Store): Store {
  return {
    ...store,
    async settle({ settlements }) {
      const kept = settlements.filter(({ outcome }) => outcome.move !== 'handBack');
      const answers = kept.length === 0 ? [] : await store.settle({ settlements: kept });
      return settlements.map((each) => answers[kept.indexOf(each)] ?? 'settled');
    },
  };
}

/** The engine does not hear that a job is a suspect, and runs it like any other. */
export function hideSuspicion(store: Store): Store {
  return {
    ...store,
    async claim(params) {
      const answer = await store.claim(params);
      if (!answer.suspects || params.alone === true) return answer;
      const alone = await store.claim({ ...params, claim: params.claim, alone: true });
      return { ...answer, jobs: [...answer.jobs, ...alone.jobs], suspects: false };
    },
  };
}
