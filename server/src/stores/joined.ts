import {
  type AmendPart,
  type Enqueued,
  type JobId,
  MillraceError,
  type NewJob,
  type RearrangePart,
  type Selection,
  type Store,
  wrapped,
} from '@millrace/engine';
import { type Away, type SideStore, createAway } from './away.ts';
import { type Directory, createDirectory } from './directory.ts';
import { listOver } from './pages.ts';
import type { MainStore } from './parts.ts';

/** Verbs of the main store alone, whatever store a job is in. */
const MAIN_ONLY = [
  'name',
  'keeps',
  'now',
  'claim',
  'renew',
  'settle',
  'watch',
  'close',
  'chunks',
  'followers',
  'schedules',
  'control',
  'upkeep',
  'gatherMs',
] as const satisfies readonly (keyof Store)[];

/**
 * Several stores as one: the store of a job is found by the prefix of its id, that of a kind by the table.
 * Workers do not use it: each works on its own.
 */
export function joinStores(
  main: MainStore,
  sides: readonly SideStore[],
  /** Notes which of the others does not answer: what it has is left out, and the rest is shown. */
  away: Away = createAway(sides),
): MainStore {
  if (sides.length === 0) return main;
  const directory = createDirectory(main, sides, away);
  const { all, ofId, fitting, orLess } = directory;

  return wrapped(main, MAIN_ONLY, {
    enqueue: ({ jobs }) => enqueue(directory, jobs, (store, some) => store.enqueue({ jobs: some })),
    enqueueIn: (transaction, { jobs }) =>
      enqueue(directory, jobs, (store, some) => joining(store)(transaction, { jobs: some })),
    async cancel(selection) {
      const answers = await each(
        directory,
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
        directory,
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
    async list(params) {
      const stores = fitting(params.filter);
      const [only] = stores;
      return stores.length === 1 && only !== undefined
        ? only.list(params)
        : listOver(stores, params, orLess);
    },
    counts: async () =>
      (await Promise.all(all.map((store) => orLess(store, () => store.counts(), [])))).flat(),
    async erase({ subject }) {
      const erased = await Promise.all(all.map((store) => store.erase({ subject })));
      return erased.reduce((sum, count) => sum + count, 0);
    },
    amend: {
      retryWith: async (params) => amending(ofId(params.id)).retryWith(params),
      remove: async (params) => amending(ofId(params.id)).remove(params),
    },
    rearrange: {
      prioritize: async ({ ids, priority }) =>
        (
          await byStore(directory, ids, (store, some) =>
            rearranging(store).prioritize({ ids: some, priority }),
          )
        ).flat(),
      restore: async ({ ids }) =>
        (
          await byStore(directory, ids, (store, some) => rearranging(store).restore({ ids: some }))
        ).flat(),
    },
  });
}

/** Each job by the store of its kind, in the order in which they were given. */
async function enqueue(
  { all, ofKind }: Directory,
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
  { all, ofId, fitting }: Directory,
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

/** Each store with those of the jobs that are its own. */
async function byStore<T>(
  { all, ofId }: Directory,
  ids: readonly JobId[],
  act: (store: Store, ids: readonly JobId[]) => Promise<T>,
): Promise<T[]> {
  const answers: T[] = [];
  for (const store of all) {
    const some = ids.filter((id) => ofId(id) === store);
    if (some.length > 0) answers.push(await act(store, some));
  }
  return answers;
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

function rearranging(store: Store): RearrangePart {
  if (store.rearrange !== undefined) return store.rearrange;
  throw new MillraceError(
    'unsupported_by_store',
    `The store "${store.name}" cannot change priorities.`,
  );
}
