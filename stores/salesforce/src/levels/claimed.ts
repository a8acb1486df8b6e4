import type { ClaimParams, Claimed, ClaimedJob, JsonText, Lease } from '@millrace/engine';
import { soqlText, soqlTime } from '@millrace/salesforce';
import type { Context } from '../context.ts';
import type { Row } from '../records/row.ts';
import { claimOrder, select } from '../records/select.ts';

/** The lease as the claim gives it: the row may have been read before it was leased. */
export function claimedJob(
  { ids, tenant }: Context,
  row: Row,
  { epoch, claim }: Pick<Lease, 'epoch' | 'claim'>,
): ClaimedJob {
  return {
    id: ids.jobId(row.id),
    epoch,
    claim,
    kind: row.kind,
    tenant,
    payload: payloadOf(row),
    attempt: row.attempts + 1,
    maxAttempts: row.maxAttempts,
    priority: row.priority,
    createdAt: row.createdAt,
    cursor: null,
    suspect: row.suspect,
    correlationId: row.correlationId,
    submitter: row.submitter,
    subject: row.subject,
    webhook: null,
    parents: null,
    traceparent: row.traceparent,
  };
}

/** A record that is about nobody was not erased: someone made it without a request, and that is what it fails for. */
export function payloadOf({ request, subject }: Pick<Row, 'request' | 'subject'>): JsonText | null {
  return request ?? (subject === null ? 'null' : null);
}

/** The value of ClaimId__c. People see by it whose claim it was; the number alone is unique. */
export function claimIdOf({ worker, claim }: Pick<ClaimParams, 'worker' | 'claim'>): string {
  return `${worker}/${claim}`.slice(0, 255);
}

/** The records of a claim whose answer was lost, as far as they are still held: none of them can have begun. */
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
    jobs: rows.map((row) => claimedJob(context, row, { epoch: row.epoch, claim: params.claim })),
    now: salesforce.now(),
    lost: [],
    takenOver: 0,
    more: true,
    suspects: false,
    nextDueMs: null,
  };
}
