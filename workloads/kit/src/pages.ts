import { MillraceError } from '@millrace/engine';

/** How lists of a workload are read: page by page, from a cursor that the page before has given. */
export interface PageParams {
  readonly limit?: number | undefined;
  /** From the page before. */
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly items: T[];
  readonly next: string | null;
}

const PAGE = { usual: 50, most: 1_000 };

export function pageLimit({ limit }: PageParams): number {
  return Math.min(Math.max(1, Math.trunc(limit ?? PAGE.usual)), PAGE.most);
}

/** The number of the last row seen. Rows that are added meanwhile change nothing. */
export function numberCursor({ cursor }: PageParams, start: number): number {
  if (cursor === undefined) return start;
  if (!/^\d{1,15}$/.test(cursor)) throw badCursor();
  return Number(cursor);
}

/** `giver` says whose cursors it is none of. */
export function badCursor(giver = 'a list has'): MillraceError {
  return new MillraceError(
    'invalid_cursor',
    `The cursor is not one that ${giver} given. Start from the first page.`,
  );
}

/** One row more than the page was asked for: whether there is another page. */
export function page<T>(rows: T[], limit: number, cursorOf: (last: T) => string): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}
