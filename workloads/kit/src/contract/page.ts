import { z } from 'zod';

export const MAX_PAGE = 200;

const limit = z.coerce.number<number | string>().int().min(1).max(MAX_PAGE);
const cursor = z.string().min(1).max(1_000).optional().describe('`next` of the page before.');

/** What every list takes: how many, and from where on. */
export const page = z.strictObject({
  limit: limit.default(50).describe('How many at most.'),
  cursor,
});

/**
 * The same for what is bounded by what people wrote (kinds, schedules) or is added up by its readers (counts):
 * all of it, unless a limit is asked for. A default would cut such a list short without a word.
 */
export const wholeOrPage = z.strictObject({
  limit: limit.optional().describe('How many at most; all when left out.'),
  cursor,
});

export const next = z
  .string()
  .nullable()
  .describe('The cursor of the next page; null: this is the last.');

/** Servers that gave these lists whole gave no `next`. */
export const nextOrNone = next.default(null);
