import { type Store, StoreUnavailable } from '../src/index.ts';

type Verb =
  | 'now'
  | 'claim'
  | 'renew'
  | 'settle'
  | 'checkpoint'
  | 'reportWorker'
  | 'schedules'
  | 'fire'
  | 'prune';

/**
 * A store behind a line that a test breaks. `away`: the request is lost. `answerLost`: it arrives, and its
 * answer does not. `refused`: the store itself throws.
 */
export interface Line {
  readonly store: Store;
  readonly away: Set<Verb>;
  readonly answerLost: Set<Verb>;
  readonly refused: Map<Verb, (params: never) => Error | null>;
  /** Every call that was made, with its params. */
  readonly calls: { verb: Verb; params: unknown }[];
  count(verb: Verb): number;
}

export function createLine(store: Store): Line {
  const { chunks, control, schedules, upkeep } = store;
  const away = new Set<Verb>();
  const answerLost = new Set<Verb>();
  const refused: Line['refused'] = new Map();
  const calls: Line['calls'] = [];

  async function call<T>(verb: Verb, params: unknown, arrive: () => Promise<T>): Promise<T> {
    calls.push({ verb, params });
    if (away.has(verb)) throw new StoreUnavailable('The request was lost.');
    const refusal = refused.get(verb)?.(params as never) ?? null;
    if (refusal !== null) throw refusal;
    const answer = await arrive();
    if (answerLost.has(verb)) throw new StoreUnavailable('The answer was lost.');
    return answer;
  }

  return {
    away,
    answerLost,
    refused,
    calls,
    count: (verb) => calls.filter((each) => each.verb === verb).length,
    store: {
      ...store,
      now: () => call('now', null, () => store.now()),
      claim: (params) => call('claim', params, () => store.claim(params)),
      renew: (params) => call('renew', params, () => store.renew(params)),
      settle: (params) => call('settle', params, () => store.settle(params)),
      ...(chunks && {
        chunks: {
          checkpoint: (params) => call('checkpoint', params, () => chunks.checkpoint(params)),
        },
      }),
      ...(control && {
        control: {
          ...control,
          reportWorker: (params) =>
            call('reportWorker', params, () => control.reportWorker(params)),
        },
      }),
      ...(schedules && {
        schedules: {
          ...schedules,
          all: () => call('schedules', null, () => schedules.all()),
          fire: (params) => call('fire', params, () => schedules.fire(params)),
        },
      }),
      ...(upkeep && {
        upkeep: { ...upkeep, prune: (params) => call('prune', params, () => upkeep.prune(params)) },
      }),
    },
  };
}
