import type { ClaimParams, Claimed, ClaimedJob } from '@millrace/engine';
import { soqlText, soqlTime } from '@millrace/salesforce';
import type { Context } from './context.ts';
import type { Row } from './row.ts';
import { claimOrder, select } from './select.ts';

export function claimedJob({ ids }: Context, row: Row, epoch: number): ClaimedJob {
  return {
    id: ids.jobId(row.id),
    epoch,
    kind: row.kind,
    tenant: '',
    payload: row.request ?? 'null',
    attempt: row.attempts + 1,
    maxAttempts: row.maxAttempts,
    priority: row.priority,
    createdAt: row.createdAt,
    cursor: null,
    correlationId: row.correlationId,
    submitter: row.submitter,
    webhook: null,
    parents: null,
    traceparent: row.traceparent,
  };
}

/** A claim id is unique for its worker only. */
export function claimIdOf({ worker, claimId }: Pick<ClaimParams, 'worker' | 'claimId'>): string {
  return `${worker}/${claimId}`.slice(0, 255);
}

/** What a claim whose answer was lost had taken, as far as it is still held. */
export async function replay(context: Context, params: ClaimParams): Promise<Claimed> {
  const { field } = context.names;
  const { salesforce } = context;
  const rows = await select(
    context,
    [
      `${field.claimId} = ${soqlText(claimIdOf(params))}`,
      `${field.status} = 'PROCESSING'`,
      `${field.lockedUntil} > ${soqlTime(salesforce.now())}`,
    ].join(' AND '),
    { what: 'whole', order: claimOrder(context) },
  );
  return {
    jobs: rows.map((row) => claimedJob(context, row, row.epoch)),
    now: salesforce.now(),
    lost: [],
    takenOver: 0,
    more: true,
    nextDueMs: null,
  };
}
