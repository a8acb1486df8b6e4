import { contracts } from '@millrace/api';
import { z } from 'zod';

/** What several tools take. */

/** A page for a model: fewer than for a program. */
export const few = contracts.listJobs.query.shape.limit
  .unwrap()
  .default(20)
  .describe('How many at most.');

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
