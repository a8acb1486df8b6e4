import type { Context } from './context.ts';
import { canceledValues, timeText } from './ending.ts';
import type { Field } from './fields.ts';
import type { Row } from './row.ts';

/**
 * What becomes of a record whose lease is over, as the port says it (`Claimed`). A record is begun once its lease was
 * renewed, which empties ClaimId__c; one that Apex leased to a call of its own never had a claim, and counts as begun.
 */
export function takeOverValues(
  { salesforce }: Context,
  row: Row,
): Partial<Record<Field, unknown>> & { readonly status: 'QUEUED' | 'FAILED' | 'CANCELED' } {
  const now = salesforce.now();
  const isBegun = row.claimId === null;
  const attempts = row.attempts + (isBegun ? 1 : 0);
  const free = { leaseToken: null, lockedUntil: null, claimId: null };
  if (row.cancelRequested) return { ...free, attempts, ...canceledValues(now), status: 'CANCELED' };
  if (isBegun && row.suspect && attempts >= row.maxAttempts) {
    const error = { errorCode: 'worker_lost', error: lostText(row, attempts) };
    const finishedAt = timeText(now);
    return { ...free, ...error, attempts, status: 'FAILED', finishedAt, suspect: false };
  }
  // One execution is left to whoever was not alone: it may have been a neighbour.
  const kept = Math.min(attempts, row.maxAttempts - 1);
  return { ...free, attempts: kept, status: 'QUEUED', due: null, suspect: true };
}

/** No more than is known: nobody was there to see why. */
function lostText({ worker }: Row, attempt: number): string {
  return (
    `The worker ${worker ?? ''} stopped renewing its lease during attempt ${attempt}: it died, froze or was cut ` +
    'off. The document may be the cause (memory, a crash): look at the log of the worker before you try it again.'
  );
}
