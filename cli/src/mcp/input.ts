import { contracts } from '@millrace/api';
import { z } from 'zod';

/** Inputs shared by several tools. */

/** A page for a model: fewer than for a program. */
export const few = contracts.listJobs.query.shape.limit
  .unwrap()
  .default(20)
  .describe('Maximum number of rows.');

/** Deeper than any data of a job or a document; what goes through values member by member bears it. */
const MOST_NESTED = 500;

export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MOST_NESTED && level.length > 0; depth += 1)
    level = level.flatMap((each): unknown[] =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    );
  return level.length > 0;
}

/** Clients give a call up after 60 s. */
const LONGEST_WAIT = 50;

export function waiting(seconds: number) {
  return z
    .int()
    .min(0)
    .max(LONGEST_WAIT)
    .default(seconds)
    .describe('Answers when it is over, or after so many seconds.');
}
