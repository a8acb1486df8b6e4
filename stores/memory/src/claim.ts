import type { ClaimParams, Claimed, ClaimedJob } from '@millrace/engine';
import type { JobRow, LeaseRow, Transaction } from './data.ts';
import { choose } from './subqueues.ts';
import { comesFirst, move } from './rows.ts';
import { takeOver } from './take-over.ts';

export function claim(tx: Transaction, params: ClaimParams): Claimed {
  if (params.replay === true) return replay(tx, params);
  const { takenOver, takenFrom, lost } = takeOver(tx);
  const { chosen, left, suspects, nextDueMs } = choose(tx, params);
  const jobs = chosen.map((row) => give(tx, row, params));
  return {
    jobs,
    now: tx.now,
    lost,
    takenOver,
    takenFrom,
    more: left || jobs.length >= params.limit,
    suspects,
    nextDueMs,
  };
}

/**
 * Answers a claim again whose answer was lost, with the jobs that it was given and still has. Nothing new is claimed,
 * even if the first request never came: the caller sees `more` and claims under a new number.
 */
function replay(tx: Transaction, params: ClaimParams): Claimed {
  const jobs = [...tx.data.leases.values()]
    .flatMap((lease) => {
      const row = tx.data.jobs.get(lease.id);
      const isGiven = lease.claim === params.claim && row?.worker === params.worker;
      return isGiven && lease.until >= tx.now ? [{ row, lease }] : [];
    })
    .toSorted((a, b) => comesFirst(a.row, b.row))
    .map(({ row, lease }) => toClaimed(row, lease));
  return {
    jobs,
    now: tx.now,
    lost: [],
    takenOver: 0,
    more: true,
    suspects: false,
    nextDueMs: null,
  };
}

function give(tx: Transaction, row: JobRow, params: ClaimParams): ClaimedJob {
  const { worker } = params;
  const [epoch, attempt] = [row.epoch + 1, row.attempt + 1];
  const given = move(tx.data, row, 'claim', { epoch, attempt, startedAt: tx.now, worker });
  const lease: LeaseRow = {
    id: row.id,
    epoch,
    claim: params.claim,
    until: tx.now + params.leaseMs,
    attempt,
    step: 0,
    renewed: false,
  };
  tx.data.leases.set(row.id, lease);
  return toClaimed(given, lease);
}

function toClaimed(row: JobRow, lease: LeaseRow): ClaimedJob {
  return {
    id: row.id,
    epoch: lease.epoch,
    claim: lease.claim,
    kind: row.kind,
    tenant: row.tenant,
    payload: row.payload,
    attempt: row.attempt,
    maxAttempts: row.maxAttempts,
    priority: row.priority,
    createdAt: row.createdAt,
    dueAt: row.runAt,
    cursor: row.cursor,
    suspect: row.suspect,
    correlationId: row.correlationId,
    submitter: row.submitter,
    subject: row.subject,
    webhook: row.webhook,
    parents: row.parents,
    traceparent: row.traceparent,
  };
}
