import { ApiError } from '../errors.ts';
import { makeId } from '../ids.ts';
import type { Json } from '../soql/render.ts';

export interface Page {
  readonly totalSize: number;
  readonly done: boolean;
  readonly nextRecordsUrl?: string;
  readonly records: readonly Json[];
}

/** Answers longer than a page are kept, and asked for by where the next page begins. */
export interface Cursors {
  first(version: string, totalSize: number, records: readonly Json[], batchSize: number): Page;
  next(version: string, locator: string): Page;
}

interface Cursor {
  readonly totalSize: number;
  readonly records: readonly Json[];
  readonly batchSize: number;
}

/** A user may have ten open; the oldest goes. */
const MOST_OPEN = 10;

export function createCursors(): Cursors {
  const open = new Map<string, Cursor>();
  let serial = 0;

  function page(version: string, id: string, cursor: Cursor, from: number): Page {
    const { totalSize, records, batchSize } = cursor;
    const end = from + batchSize;
    const done = end >= records.length;
    if (done) open.delete(id);
    return {
      totalSize,
      done,
      ...(done ? {} : { nextRecordsUrl: `/services/data/${version}/query/${id}-${end}` }),
      records: records.slice(from, end),
    };
  }

  return {
    first(version, totalSize, records, batchSize) {
      if (records.length <= batchSize) return { totalSize, done: true, records };
      serial += 1;
      const id = makeId('01g', serial);
      const cursor = { totalSize, records, batchSize };
      open.set(id, cursor);
      const oldest = open.size > MOST_OPEN ? open.keys().next().value : undefined;
      if (oldest !== undefined) open.delete(oldest);
      return page(version, id, cursor, 0);
    },
    next(version, locator) {
      const [id = '', from = ''] = locator.split('-');
      const cursor = open.get(id);
      if (cursor === undefined || !/^\d+$/.test(from)) {
        throw new ApiError('INVALID_QUERY_LOCATOR', 'invalid query locator');
      }
      return page(version, id, cursor, Number(from));
    },
  };
}

/** `Sforce-Query-Options: batchSize=500`. 200 to 2,000; what is outside is moved to the edge. */
export function batchSizeOf(header: string | undefined): number {
  const asked = Number(/batchSize\s*=\s*(\d+)/i.exec(header ?? '')?.[1] ?? 2000);
  return Math.min(2000, Math.max(200, asked));
}
