import {
  type AmendPart,
  type Enqueued,
  type Filter,
  type JobId,
  type JobSummary,
  MillraceError,
  type NewJob,
  type Selection,
  type Store,
  StoreUnavailable,
} from '@millrace/engine';
import { defined } from '@millrace/workload-kit';
import type { EveryMember, MainStore } from './parts.ts';

/** A store for some kinds, beside the one that has all others and everything that is not a job. */
export interface SideStore {
  readonly store: Store;
  readonly kinds: readonly string[];
}

/**
 * Several stores as one, for those who ask about jobs: an id tells its store by its prefix, a kind by the table.
 * Workers do not use it: each works on its own.
 */
export function joinStores(
  main: MainStore,
  sides: readonly SideStore[],
  /** One of the others does not answer: what it has is left out, and the rest is told. */
  onAway: (store: string, error: unknown) => void = () => {},
): MainStore {
  if (sides.length === 0) return main;
  const all: Store[] = [main, ...sides.map(({ store }) => store)];

  function ofKind(kind: string): Store {
    return sides.find(({ kinds }) => kinds.includes(kind))?.store ?? main;
  }

  function ofId(id: JobId): Store {
    return all.find(({ name }) => id.startsWith(`${name}-`)) ?? main;
  }

  /** The main store must answer; without one of the others, there is still much to tell. */
  async function orLess<T>(store: Store, ask: () => Promise<T>, less: T): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (store === main || !(error instanceof StoreUnavailable)) throw error;
      onAway(store.name, error);
      return less;
    }
  }

  /**
   * The stores that may have such jobs. An org is asked only where it may: each call counts against its daily limit.
   */
  function fitting({ kind }: Filter): Store[] {
    return kind === undefined ? all : [ofKind(kind)];
  }

  /** Each job by the store of its kind, in the order in which they were given. */
  async function enqueue(
    jobs: readonly NewJob[],
    make: (store: Store, jobs: readonly NewJob[]) => Promise<Enqueued[]>,
  ): Promise<Enqueued[]> {
    const answers = new Map<NewJob, Enqueued>();
    for (const store of all) {
      const some = jobs.filter(({ kind }) => ofKind(kind) === store);
      if (some.length === 0) continue;
      const made = await make(store, some);
      some.forEach((job, index) => {
        const answer = made[index];
        if (answer !== undefined) answers.set(job, answer);
      });
    }
    return jobs.flatMap((job) => answers.get(job) ?? []);
  }

  /**
   * A bulk action over all stores: with ids, each store gets its own; with a filter, one store after the other, up to
   * the limit.
   */
  async function each<T>(
    { select }: Selection,
    act: (store: Store, selection: Selection) => Promise<T>,
    count: (answer: T) => number,
  ): Promise<T[]> {
    const answers: T[] = [];
    let left = 'limit' in select ? select.limit : Infinity;
    for (const store of 'ids' in select ? all : fitting(select.filter)) {
      if ('ids' in select) {
        const ids = select.ids.filter((id) => ofId(id) === store);
        if (ids.length > 0) answers.push(await act(store, { select: { ids } }));
      } else if (left > 0) {
        const answer = await act(store, { select: { ...select, limit: left } });
        left -= count(answer);
        answers.push(answer);
      }
    }
    return answers;
  }

  const members: EveryMember<MainStore> = {
    name: main.name,
    keeps: main.keeps,
    now: () => main.now(),
    enqueue: ({ jobs }) => enqueue(jobs, (store, some) => store.enqueue({ jobs: some })),
    enqueueIn: (transaction, { jobs }) =>
      enqueue(jobs, (store, some) => joining(store)(transaction, { jobs: some })),
    claim: (params) => main.claim(params),
    renew: (params) => main.renew(params),
    settle: (params) => main.settle(params),
    async cancel(selection) {
      const answers = await each(
        selection,
        (store, some) => store.cancel(some),
        ({ canceled, requested }) => canceled.length + requested.length,
      );
      return {
        canceled: answers.flatMap(({ canceled }) => canceled),
        requested: answers.flatMap(({ requested }) => requested),
      };
    },
    async retry(selection) {
      const answers = await each(
        selection,
        (store, some) => store.retry(some),
        ({ retried }) => retried,
      );
      const ids = answers.flatMap((answer) => answer.ids);
      return { retried: answers.reduce((sum, { retried }) => sum + retried, 0), ids };
    },
    get: ({ id }) => ofId(id).get({ id }),
    async inspect({ id }) {
      const inspection = await ofId(id).inspect({ id });
      if (inspection === null || ofId(id) === main) return inspection;
      const paused = await main.control.paused();
      return { ...inspection, kindPaused: paused.some(({ kind }) => kind === inspection.job.kind) };
    },
    async summaries({ ids }) {
      const found = await Promise.all(
        all.map(async (store) => {
          const some = ids.filter((id) => ofId(id) === store);
          if (some.length === 0) return [];
          return orLess(store, () => store.summaries({ ids: some }), []);
        }),
      );
      return found.flat();
    },
    async list({ filter, limit, cursor }) {
      const stores = fitting(filter);
      const [only] = stores;
      if (stores.length === 1 && only !== undefined)
        return only.list({ filter, limit, ...(cursor !== undefined && { cursor }) });
      const cursors = readCursors(cursor, stores);
      return listAll(stores, { filter, limit, cursors, orLess });
    },
    counts: async () =>
      (await Promise.all(all.map((store) => orLess(store, () => store.counts(), [])))).flat(),
    async erase({ subject }) {
      const erased = await Promise.all(all.map((store) => store.erase({ subject })));
      return erased.reduce((sum, count) => sum + count, 0);
    },
    watch: (listener) => main.watch(listener),
    close: () => main.close(),
    chunks: main.chunks,
    followers: main.followers,
    schedules: main.schedules,
    control: main.control,
    upkeep: main.upkeep,
    gatherMs: main.gatherMs,
    amend: {
      retryWith: async (params) => amending(ofId(params.id)).retryWith(params),
      remove: async (params) => amending(ofId(params.id)).remove(params),
    },
  };
  return defined(members);
}

function joining(store: Store): NonNullable<Store['enqueueIn']> {
  if (store.enqueueIn !== undefined) return store.enqueueIn;
  throw new MillraceError(
    'unsupported_by_store',
    `The store "${store.name}" cannot join a transaction.`,
  );
}

function amending(store: Store): AmendPart {
  if (store.amend !== undefined) return store.amend;
  throw new MillraceError(
    'unsupported_by_store',
    `The jobs of "${store.name}" are records of its org: change or delete them there.`,
  );
}

interface ListAll {
  readonly filter: Filter;
  readonly limit: number;
  readonly cursors: Cursors;
  orLess<T>(store: Store, ask: () => Promise<T>, less: T): Promise<T>;
}

/**
 * The page of a store that does not answer. It is left out of all further pages too, since a cursor that waits for it
 * might never end.
 */
const AWAY = { jobs: [], next: null };

/** Where each store's next page begins; null: it has no more. */
type Cursors = Readonly<Record<string, string | null>>;

/** The newest of each, merged. What was read and did not fit is read again with the next page. */
async function listAll(
  stores: readonly Store[],
  { filter, limit, cursors, orLess }: ListAll,
): Promise<{ jobs: JobSummary[]; next: string | null }> {
  const pages = await Promise.all(
    stores.map(async (store) => {
      const cursor = cursors[store.name];
      if (cursor === null) return { store, jobs: [], next: null };
      const from = cursor === undefined ? {} : { cursor };
      const page = await orLess(store, () => store.list({ filter, limit, ...from }), AWAY);
      return { store, ...page };
    }),
  );
  const merged = pages
    .flatMap(({ jobs }) => jobs)
    .toSorted((a, b) => b.createdAt - a.createdAt)
    .slice(0, limit);
  const next: Record<string, string | null> = {};
  for (const { store, jobs, next: after } of pages) {
    const taken = jobs.filter((job) => merged.includes(job)).length;
    if (taken === jobs.length) next[store.name] = after;
    else {
      const before = cursors[store.name];
      const upTo = taken === 0 ? before : await cursorAfter(store, filter, taken, before);
      if (upTo !== undefined) next[store.name] = upTo;
    }
  }
  const isOver = stores.every(({ name }) => next[name] === null);
  return { jobs: merged, next: isOver ? null : writeCursors(next) };
}

/** A store gives a cursor with each page: a page of just so many ends where we stopped. */
async function cursorAfter(
  store: Store,
  filter: Filter,
  taken: number,
  cursor: string | null | undefined,
): Promise<string | null> {
  const from = typeof cursor === 'string' ? { cursor } : {};
  return (await store.list({ filter, limit: taken, ...from })).next;
}

function writeCursors(cursors: Cursors): string {
  return Buffer.from(JSON.stringify(cursors)).toString('base64url');
}

function readCursors(cursor: string | undefined, stores: readonly Store[]): Cursors {
  if (cursor === undefined) return {};
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const isCursors =
      typeof read === 'object' &&
      read !== null &&
      Object.entries(read).every(
        ([name, value]) =>
          stores.some((store) => store.name === name) &&
          (value === null || typeof value === 'string'),
      );
    if (isCursors) return read as Cursors;
  } catch {
    // Said below.
  }
  throw new MillraceError('invalid_cursor', 'The cursor is not one of a page before.');
}
