import { type Store, wrapped } from '@millrace/engine';
import type { Announcements, AuditLog } from '@millrace/store-postgres';
import type { PartName } from '../stores/parts.ts';
import type { Call } from './traces/trace-calls.ts';

/** The verbs that call the store. The compiler reports a new verb of the port. */
const VERBS = {
  now: true,
  enqueue: true,
  claim: true,
  renew: true,
  settle: true,
  cancel: true,
  retry: true,
  erase: true,
  get: true,
  list: true,
  summaries: true,
  counts: true,
  inspect: true,
} as const satisfies VerbsOf<Pick<Store, Verb>>;

/** The same for the parts: their calls are named `chunks.checkpoint`. */
const PARTS: { readonly [Name in Part]-?: VerbsOf<NonNullable<Store[Name]>> } = {
  chunks: { checkpoint: true },
  followers: { closeGates: true, children: true, gates: true },
  schedules: { sync: true, all: true, fire: true, pause: true, resume: true, remove: true },
  control: {
    pause: true,
    resume: true,
    paused: true,
    reportWorker: true,
    workers: true,
    steer: true,
    steered: true,
  },
  upkeep: { prune: true, maintain: true },
  amend: { retryWith: true, remove: true },
  rearrange: { prioritize: true, restore: true },
};
const AUDIT: VerbsOf<AuditLog> = { begin: true, note: true, end: true, list: true, prune: true };

type Part = Exclude<PartName, 'gatherMs' | 'enqueueIn'>;
type Verb = Exclude<keyof Store, 'name' | 'keeps' | 'watch' | 'close' | PartName>;
type VerbsOf<Object> = Readonly<Record<keyof Object & string, true>>;
type Ask = (...params: unknown[]) => Promise<unknown>;

export interface Traced {
  readonly call: Call;
}

/** The same store with the same parts, with each call measured and traced. */
export function traceStore<S extends Store>(
  store: S,
  { call }: Traced,
  dependency = 'store',
): Pick<S, keyof Store> {
  const trace = tracer(call, dependency);
  const parts = Object.entries(PARTS).map(([name, verbs]) => {
    const part = store[name as Part];
    return [name, part && trace(part, verbs, `${name}.`)];
  });
  return wrapped<Store, 'name' | 'keeps' | 'gatherMs' | 'watch' | 'close'>(
    store,
    ['name', 'keeps', 'gatherMs', 'watch', 'close'],
    {
      ...trace<Pick<Store, Verb>>(store, VERBS),
      enqueueIn:
        store.enqueueIn && trace<Pick<Store, 'enqueueIn'>>(store, { enqueueIn: true }).enqueueIn,
      ...(Object.fromEntries(parts) as Required<Pick<Store, Part>>),
    },
  );
}

export function traceAudit(audit: AuditLog, { call }: Traced): AuditLog {
  return tracer(call, 'store')(audit, AUDIT, 'audit.');
}

export function traceAnnouncements(announcements: Announcements, { call }: Traced): Announcements {
  return {
    announce: tracer(call, 'store')<Pick<Announcements, 'announce'>>(
      announcements,
      { announce: true },
      'announcements.',
    ).announce,
    listen: (listener) => announcements.listen(listener),
    arrive: () => announcements.arrive(),
  };
}

function tracer(call: Call, dependency: string) {
  return <Object extends object>(object: Object, verbs: VerbsOf<Object>, prefix = ''): Object => {
    const traced = Object.keys(verbs).map((verb) => {
      const ask = object[verb as keyof Object] as Ask;
      const what = { dependency, operation: `${prefix}${verb}`, leaf: true };
      return [verb, (...params: unknown[]) => call(what, () => ask.apply(object, params))];
    });
    return Object.fromEntries(traced) as Object;
  };
}
