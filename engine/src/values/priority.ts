import { MillraceError } from '../errors.ts';

const MOST = 1_000;

/** What the stores' indexes have room for. */
export function checkPriority(priority: number): number {
  if (!Number.isInteger(priority) || Math.abs(priority) > MOST) {
    throw new MillraceError(
      'invalid_priority',
      `The priority must be a whole number from -1000 to 1000, not ${priority}.`,
    );
  }
  return priority;
}
