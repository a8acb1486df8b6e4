import type { ClaimParams, Claimed, ClaimedJob, Lost } from '@millrace/engine';
import type { JobRow, LeaseRow, Transaction } from './data.ts';
import { finish } from './finish.ts';
import { choose } from './lanes.ts';
import { comesFirst, move, oldestFirst, putBack } from './rows.ts';

export function claim(tx: Transaction, params: ClaimParams): Claimed {
  if (params.replay === true) return replay(tx, params);
  const { takenOver, lost } = takeOver(tx);
  const { chosen, left, nextDueMs } = choose(tx, params);
  const jobs = chosen.map((row) => give(tx, row, params));
  return {
    jobs,
    now: tx.now,
    lost,
    takenOver,
    more: left || jobs.length >= params.limit,
    nextDueMs,
  };
}

/**
 * The answer to a claim was lost: what it was given and still has. Nothing new is claimed, even if the
 * first request never came: the caller sees `more` and claims under a new id.
 */
function replay(tx: Transaction, params: ClaimParams): Claimed {
  const given = [...tx.data.leases.values()].filter(
    (lease) =>
      lease.claimId === params.claimId &&
      tx.data.jobs.get(lease.id)?.worker === params.worker &&
      lease.until >= tx.now,
  );
  const jobs = given
    .flatMap((lease) => {
      const row = tx.data.jobs.get(lease.id);
      return row === undefined ? [] : [{ row, lease }];
    })
    .toSorted((a, b) => comesFirst(a.row, b.row))
    .map(({ row, lease }) => toClaimed(row, lease));
  return { jobs, now: tx.now, lost: [], takenOver: 0, more: true, nextDueMs: null };
}

/** Jobs of any kind whose worker went away. Their attempts stay counted, so that a deadly job ends. */
function takeOver(tx: Transaction): { takenOver: number; lost: Lost[] } {
  const { leases, jobs } = tx.data;
  const expired = oldestFirst(
    [...leases.values()].flatMap(({ id, until }) => (until < tx.now ? (jobs.get(id) ?? []) : [])),
  );
  const lost: Lost[] = [];
  for (const row of expired) {
    if (row.cancelRequested) finish(tx, row, 'cancel', {});
    else if (row.attempt >= row.maxAttempts) {
      finish(tx, row, 'fail', { error: workerLost(row) });
      const { id, kind, attempt, correlationId } = row;
      lost.push({ id, kind, attempt, correlationId });
    } else putBack(tx, row, 'takeOver', { runAt: tx.now });
  }
  return { takenOver: expired.length, lost };
}

function workerLost({ attempt, worker }: JobRow): {
  code: string;
  message: string;
  retryable: boolean;
} {
  return {
    code: 'worker_lost',
    message:
      `The worker ${worker ?? ''} went away during attempt ${attempt}, the last one allowed. ` +
      'The job may be what stops its workers (memory, a crash): look at their logs before you retry it.',
    retryable: false,
  };
}

function give(tx: Transaction, row: JobRow, { worker, claimId, leaseMs }: ClaimParams): ClaimedJob {
  const lease: LeaseRow = {
    id: row.id,
    epoch: tx.data.nextEpoch(),
    until: tx.now + leaseMs,
    claimId,
    step: 0,
  };
  tx.data.leases.set(row.id, lease);
  return toClaimed(
    move(tx.data, row, 'claim', { attempt: row.attempt + 1, startedAt: tx.now, worker }),
    lease,
  );
}

function toClaimed(row: JobRow, { epoch }: LeaseRow): ClaimedJob {
  const {
    id,
    kind,
    tenant,
    attempt,
    maxAttempts,
    priority,
    createdAt,
    cursor,
    correlationId,
    submitter,
    webhook,
    parents,
    traceparent,
  } = row;
  return {
    id,
    epoch,
    kind,
    tenant,
    // Erased while it waited: the handler sees that nothing is left, and its schema decides.
    payload: row.payload ?? 'null',
    attempt,
    maxAttempts,
    priority,
    createdAt,
    cursor,
    correlationId,
    submitter,
    webhook,
    parents,
    traceparent,
  };
}
