import { QueryError } from './errors.ts';

/** People see a word and a number: `run-7`. */
export function runIdOf(seq: number): string {
  return `run-${seq}`;
}

/** Null for what is no such id. */
export function seqOf(id: string): number | null {
  const [, digits] = /^run-([1-9]\d{0,14})$/.exec(id) ?? [];
  return digits === undefined ? null : Number(digits);
}

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
  if (!/^\d{1,15}$/.test(cursor))
    throw new QueryError(
      'invalid_cursor',
      'The cursor is not one that a list has given. Start from the first page.',
    );
  return Number(cursor);
}

/** One row more than the page was asked for: whether there is another page. */
export function page<T>(rows: T[], limit: number, cursorOf: (last: T) => string): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? cursorOf(last) : null };
}
