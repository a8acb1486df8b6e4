import type { Dependants, Store } from '@millrace/engine';

// What stands around the store and the engine: rules, and lines that change what they carry.

export function forgetGates(dependants: Dependants): Dependants {
  return (job) =>
    dependants(job).filter(({ gate }) => gate === undefined || gate.slot !== gate.slots[0]);
}

export function openGates(dependants: Dependants): Dependants {
  return (job) => dependants(job).map(({ child }) => ({ child }));
}

export function dropProgress(store: Store): Store {
  return {
    ...store,
    checkpoint: (params) =>
      params.checkpoints.some(({ cursor }) => cursor !== undefined)
        ? store.checkpoint(params)
        : store.renew({
            leases: params.checkpoints.map(({ lease }) => lease),
            leaseMs: params.leaseMs,
          }),
  };
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
  let before: Parameters<Store['checkpoint']>[0] | null = null;
  return (store) => ({
    ...store,
    async checkpoint(params) {
      const answers = await store.checkpoint(params);
      if (before !== null) void store.checkpoint(asIfNew(before)).catch(() => {});
      before = params.checkpoints.some(({ cursor }) => cursor !== undefined) ? params : before;
      return answers;
    },
  });
}

/** With a step that the store has not seen, as if it did not look at steps. */
function asIfNew(params: Parameters<Store['checkpoint']>[0]): Parameters<Store['checkpoint']>[0] {
  return {
    ...params,
    checkpoints: params.checkpoints.map((each) => ({ ...each, step: each.step + 1_000 })),
  };
}

/** A call without an answer, not even that there is none. */
export function hangReports(store: Store): Store {
  return { ...store, reportWorker: () => new Promise(() => {}) };
}
