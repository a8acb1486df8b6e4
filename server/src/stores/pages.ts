import { type Filter, MillraceError, type Store } from '@millrace/engine';
import type { Directory } from './directory.ts';

/**
 * The page of a store that does not answer. It is left out of all further pages too, since a cursor that waits for it
 * might never end.
 */
const AWAY = { jobs: [], next: null };

/** Where each store's next page begins; null: it has no more. */
type Cursors = Readonly<Record<string, string | null>>;

/**
 * A page over several stores: the newest of each, merged. What was read and did not fit is read again with the next
 * page.
 */
export async function listOver(
  stores: readonly Store[],
  { filter, limit, cursor: given }: Parameters<Store['list']>[0],
  orLess: Directory['orLess'],
): ReturnType<Store['list']> {
  const cursors = readCursors(given, stores);
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
  throw new MillraceError('invalid_cursor', 'The cursor is not the `next` of a page of this list.');
}
