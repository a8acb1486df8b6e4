import type {
  Announcement,
  Announcements,
  AuditEntry,
  AuditLog,
  AuditParams,
  AuditRecord,
  Bulk,
  BulkLog,
  Saved,
  SavedOf,
  SavedThings,
} from '@millrace/store-postgres';
import type { MemoryStore } from '@millrace/store-memory';
import type { MainStore } from '../src/stores/parts.ts';

/** An audit log in memory, as Postgres keeps it. */
export function createMemoryAudit(now: () => number): AuditLog {
  const records = new Map<number, AuditRecord>();
  let last = 0;
  function write(entry: AuditEntry, outcome: AuditRecord['outcome']): string {
    const id = (last += 1);
    records.set(id, { ...entry, id: String(id), at: now(), outcome, count: null });
    return String(id);
  }
  return {
    begin: async ({ entry }) => write(entry, 'started'),
    note: async ({ entry, outcome }) => void write(entry, outcome),
    async end({ id, end }) {
      const record = records.get(Number(id));
      if (record?.outcome === 'started') records.set(Number(id), { ...record, ...end });
    },
    async list({ filter, limit, cursor }) {
      const below = cursor === undefined ? Infinity : Number(cursor);
      const rest = [...records.values()]
        .filter((record) => Number(record.id) < below && fits(record, filter))
        .toReversed();
      const entries = rest.slice(0, limit);
      return { entries, next: rest.length > limit ? (entries.at(-1)?.id ?? null) : null };
    },
    async prune({ keepMs }) {
      const old = [...records].filter(([, { at }]) => at < now() - keepMs);
      for (const [id] of old) records.delete(id);
      return { count: old.length, more: false };
    },
  };
}

function fits(record: AuditRecord, filter: AuditParams['filter']): boolean {
  const { after = -Infinity, before = Infinity, tenants, exceptActions = [], ...same } = filter;
  const names = Object.keys(same) as (keyof typeof same)[];
  return (
    names.every((name) => record[name] === same[name]) &&
    !exceptActions.includes(record.action) &&
    (tenants === undefined || isAbout(record, tenants)) &&
    record.at >= after &&
    record.at < before
  );
}

function isAbout({ tenants: about }: AuditRecord, tenants: readonly string[]): boolean {
  return about === 'all' || tenants.some((each) => about?.includes(each) === true);
}

/** Bulk actions in memory, as Postgres keeps them. */
export function createMemoryBulk(): BulkLog {
  const all = new Map<string, Bulk>();
  const changed = new Map<string, Map<string, number | null>>();
  function update(id: string, change: (bulk: Bulk) => Partial<Bulk>): Bulk | null {
    const bulk = all.get(id);
    if (bulk === undefined) return null;
    const next = { ...bulk, ...change(bulk) };
    all.set(id, next);
    return next;
  }
  return {
    async add(bulk) {
      const id = `bulk-${all.size + 1}`;
      const added = { ...bulk, id, job: null, undoneBy: null, result: null };
      all.set(id, added);
      return added;
    },
    get: async ({ id }) => all.get(id) ?? null,
    list: async ({ limit }) => ({
      bulk: [...all.values()].toReversed().slice(0, limit),
      next: null,
    }),
    start: async ({ id, job }) => update(id, (bulk) => ({ job: bulk.job ?? job })),
    undo: async ({ id, job }) => update(id, (bulk) => ({ undoneBy: bulk.undoneBy ?? job })),
    tell: async ({ id, result }) => void update(id, () => ({ result })),
    async change({ id, changes }) {
      const own = changed.get(id) ?? new Map<string, number | null>();
      for (const each of changes) own.set(each.id, each.before);
      changed.set(id, own);
    },
    forget: async ({ id, jobs }) => jobs.forEach((job) => changed.get(id)?.delete(job)),
    changes: async ({ id, after, limit }) =>
      Array.from(changed.get(id) ?? [], ([job, before]) => ({ id: job, before }))
        .filter((each) => each.id > after)
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit),
  };
}

/** What people save, in memory. */
export function createMemorySaved(now: () => number): SavedThings {
  const all = new Map<string, Map<string, Saved>>();
  const of = ({ owner, tenant, what }: SavedOf): Map<string, Saved> => {
    const key = JSON.stringify([owner, tenant, what]);
    const own = all.get(key) ?? new Map<string, Saved>();
    all.set(key, own);
    return own;
  };
  return {
    list: async (whose) => [...of(whose).values()],
    async put({ name, value, ...whose }) {
      const created = !of(whose).has(name);
      if (created && of(whose).size >= 100) return null;
      const saved = { name, value, updatedAt: now() };
      of(whose).set(name, saved);
      return { saved, created };
    },
    remove: async ({ name, ...whose }) => of(whose).delete(name),
    async erase({ subject }) {
      const own = [...all.keys()].filter((key) => (JSON.parse(key) as string[])[0] === subject);
      const gone = own.reduce((sum, key) => sum + (all.get(key)?.size ?? 0), 0);
      for (const key of own) all.delete(key);
      return gone;
    },
  };
}

/** One line between all processes: everyone hears everything, in the same order. */
export interface Line {
  open(): LineEnd;
}

/** One process's end of the line. */
export interface LineEnd extends Announcements {
  /** As behind a pooler: from here on nobody else is heard, and what is announced here is heard here. */
  setArrive(arrives: boolean): void;
}

export function createLine(): Line {
  const ends = new Set<(announcement: Announcement) => void>();
  return {
    open() {
      const listeners = new Set<(announcement: Announcement) => void>();
      let arrives = true;
      const hear = (announcement: Announcement): void => {
        for (const listener of listeners) listener(announcement);
      };
      const hearOthers = (announcement: Announcement): void => {
        if (arrives) hear(announcement);
      };
      ends.add(hearOthers);
      return {
        async announce({ announcement }) {
          // A copy, after the call has answered: what the announcer changes afterwards is not the others'.
          const said = structuredClone(announcement);
          queueMicrotask(() => {
            if (!arrives) hear(said);
            for (const end of ends) end(said);
          });
        },
        listen(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        arrive: () => arrives,
        setArrive: (next) => void (arrives = next),
      };
    },
  };
}

/** The memory store has no transactions that `enqueueIn` could join; nothing here does. */
export function asMain(store: MemoryStore): MainStore {
  return {
    ...store,
    enqueueIn: () => Promise.reject(new Error('The memory store joins no transaction.')),
  };
}
