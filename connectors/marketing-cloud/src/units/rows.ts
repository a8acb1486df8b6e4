import { written } from '../calls/json.ts';
import { invalid, invalidAnswer } from '../errors.ts';
import type { Json, Rest } from '../rest/rest.ts';
import type { BusinessUnit, RowPage } from '../types.ts';
import { segment } from './checks.ts';

const LARGEST_PAGE = 2_500;

export function createRows(rest: Rest): Pick<BusinessUnit, 'rows' | 'rowsAfter'> {
  const read = { name: 'rowset', method: 'GET', isRead: true, read: pageOf } as const;
  return {
    async rows(customerKey, { page = 1, pageSize, ...options }) {
      if (!isWithin(pageSize, LARGEST_PAGE) || !isWithin(page, Number.MAX_SAFE_INTEGER)) {
        throw invalid(
          'invalid_page',
          `Pages are counted from 1 and have 1 to ${LARGEST_PAGE} rows.`,
        );
      }
      const key = segment('The customer key of a data extension', customerKey);
      const path = `data/v1/customobjectdata/key/${key}/rowset?$page=${page}&$pageSize=${pageSize}`;
      return rest.call({ ...read, path, options });
    },

    async rowsAfter(next, options = {}) {
      const path = pathOf(next);
      if (path === null) throw invalid('invalid_page', 'This is not the `next` of a page of rows.');
      return rest.call({ ...read, path, options });
    },
  };
}

function isWithin(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most;
}

/**
 * Where the page after is: `links.next` leaves the /data of its own address out. Nothing but a rowset is asked for by it, since
 * it may have been in the hands of others.
 */
function pathOf(next: string): string | null {
  const path = next.replace(/^\/?(data\/)?/, 'data/');
  const isRowset =
    /^data\/v1\/customobjectdata\/(token|key)\/[\w%~-][\w%.~-]*\/rowset(\?[\x21-\x7e]*)?$/;
  return isRowset.test(path) && !path.includes('#') ? path : null;
}

/** `items` is left out where there are no rows. */
function pageOf(body: Json): RowPage {
  const { count, page, pageSize, items = [], links } = body;
  if (typeof count !== 'number' || !Array.isArray(items)) {
    throw invalidAnswer('A rowset was answered without its count or its rows.', 200);
  }
  const { next } = (links ?? {}) as Json;
  return {
    count,
    page: typeof page === 'number' ? page : 1,
    pageSize: typeof pageSize === 'number' ? pageSize : items.length,
    rows: items.map((item) => rowOf(item as Json)),
    next: items.length > 0 && typeof next === 'string' ? next : null,
  };
}

/** Marketing Cloud writes all values as texts, and names in lower case as far as anybody has seen. */
function rowOf(item: Json): Record<string, string | null> {
  const cells = [item['keys'], item['values']].flatMap((part) => Object.entries(part ?? {}));
  return Object.fromEntries(cells.map(([name, value]) => [name.toLowerCase(), written(value)]));
}
