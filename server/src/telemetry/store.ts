import type { Store } from '@millrace/engine';
import type { Call } from './trace-calls.ts';

/** The verbs that ask the store for something. The compiler tells when the port has a new one. */
const VERBS = {
  now: true,
  enqueue: true,
  claim: true,
  renew: true,
  settle: true,
  checkpoint: true,
  cancel: true,
  retry: true,
  get: true,
  list: true,
  summaries: true,
  counts: true,
  inspect: true,
  announce: true,
  pause: true,
  resume: true,
  paused: true,
  syncSchedules: true,
  schedules: true,
  fire: true,
  reportWorker: true,
  workers: true,
  prune: true,
  closeGates: true,
  erase: true,
  audit: true,
  auditEnd: true,
  auditLog: true,
  maintain: true,
} as const satisfies Record<Verb, true>;

type Verb = Exclude<keyof Store, 'name' | 'can' | 'gatherMs' | 'watch' | 'close'>;
type Ask = (params: unknown) => Promise<unknown>;

/** The same store, with each call measured and traced. */
export function traceStore(
  store: Store,
  { call }: { readonly call: Call },
  dependency = 'store',
): Store {
  const traced: Record<string, unknown> = {};
  for (const verb of Object.keys(VERBS) as Verb[]) {
    const ask = store[verb] as Ask | undefined;
    // `maintain` is the one that a store may not have.
    if (ask === undefined) continue;
    const what = { dependency, operation: verb, leaf: true };
    traced[verb] = (params: unknown) => call(what, () => ask.call(store, params));
  }
  return {
    name: store.name,
    can: store.can,
    ...(store.gatherMs !== undefined && { gatherMs: store.gatherMs }),
    watch: (listener: Parameters<Store['watch']>[0]) => store.watch(listener),
    close: () => store.close(),
    ...(traced as unknown as Pick<Store, Verb>),
  };
}
