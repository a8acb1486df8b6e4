import type { MemoryStore } from '@millrace/store-memory';
import type {
  Checkpoint,
  Lease,
  RenewAnswer,
  SettleAnswer,
  SettledOutcome,
  Settlement,
  Store,
} from '@millrace/engine';
import {
  type JobRecord,
  enterExecution,
  heldBy,
  isSameLease,
  nameOfLease,
  tagOf,
} from './ledger.ts';
import type { Observation } from './observation.ts';

/** The writes of those who hold a lease: accepted from them, and from nobody else. */
export async function observeRenew(
  seen: Observation,
  store: Store,
  who: string,
  params: { leases: readonly Lease[]; leaseMs: number },
): Promise<RenewAnswer[]> {
  const answers = await store.renew(params);
  for (const [index, lease] of params.leases.entries())
    renewed(seen, 'renew', lease, answers[index], params.leaseMs);
  seen.trace.add(
    who,
    `renew ${params.leases.map((lease, index) => `${nameOf(lease)} ${answers[index] ?? ''}`).join(', ')}`,
  );
  return answers;
}

export async function observeCheckpoint(
  seen: Observation,
  store: MemoryStore,
  who: string,
  params: { checkpoints: readonly Checkpoint[]; leaseMs: number },
): Promise<RenewAnswer[]> {
  const answers = await store.chunks.checkpoint(params);
  for (const [index, checkpoint] of params.checkpoints.entries()) {
    const { lease, step, cursor, progress, children } = checkpoint;
    const record = renewed(seen, 'checkpoint', lease, answers[index], params.leaseMs);
    seen.trace.add(
      who,
      `checkpoint ${nameOf(lease)} ${cursor ?? 'progress'}: ${answers[index] ?? ''}`,
    );
    if (record === null) continue;
    // A step that came again or late has changed nothing: what it brings is there already.
    if (step <= record.step) {
      await seen.confirm(record, `checkpoint ${nameOf(lease)} again`);
      continue;
    }
    record.step = step;
    if (cursor !== undefined && cursor !== record.cursor) {
      const isForward = Number(cursor) > Number(record.cursor ?? 0);
      seen.violations.expect(
        isForward,
        'cursors',
        () => `${nameOf(lease)} went from ${record.cursor} to ${cursor}`,
      );
      Object.assign(record, { attempt: 1, suspect: false });
      if (!record.erased) record.cursor = cursor;
    }
    if (progress !== undefined && !record.erased) record.progress.push(JSON.stringify(progress));
    if (!record.erased) for (const child of children) seen.followUps.asked(tagOf(child.payload));
    await seen.confirm(record, `checkpoint ${nameOf(lease)}`);
  }
  await seen.discover('checkpoint');
  return answers;
}

/** The record if the write was accepted; its lease lasts its whole time again. */
function renewed(
  { ledger, violations, now }: Observation,
  verb: string,
  lease: Lease,
  answer: RenewAnswer | undefined,
  leaseMs: number,
): JobRecord | null {
  const known = ledger.jobs.get(lease.id);
  const record = heldBy(known, lease);
  if (record === null) {
    const newest = `${known?.state} at epoch ${known?.epoch}, claim ${known?.claim}`;
    violations.expect(
      answer === 'stale',
      'staleWrite',
      () => `${verb} by ${nameOf(lease)} was answered "${wordFor(answer)}", the job is ${newest}`,
    );
    return null;
  }
  const expected = record.cancelAsked ? 'cancel' : 'renewed';
  violations.expect(
    answer === expected,
    'refusedWrite',
    () => `${verb} by ${nameOf(lease)} was answered "${answer}", not "${expected}"`,
  );
  record.until = now() + leaseMs;
  record.renewed = true;
  return record;
}

export async function observeSettle(
  seen: Observation,
  store: Store,
  who: string,
  params: { settlements: readonly Settlement[] },
): Promise<SettleAnswer[]> {
  const answers = await store.settle(params);
  for (const [index, settlement] of params.settlements.entries()) {
    const { job, outcome, children } = settlement;
    const answer = answers[index];
    const during = `${outcome.move} by ${nameOf(job)}`;
    seen.trace.add(who, `settle ${during}: ${wordFor(answer)}`);
    const record = mayWrite(seen, settlement, answer);
    if (record === null) continue;
    checkOutcome(seen, record, outcome, during);
    record.settled = { epoch: job.epoch, claim: job.claim };
    seen.ledger.answered.add(nameOfLease(job));
    apply(seen, record, outcome);
    if (answer === 'settled' && !record.erased)
      for (const child of children) seen.followUps.asked(tagOf(child.payload));
    await seen.confirm(record, during);
  }
  await seen.discover('settle');
  return answers;
}

function mayWrite(
  { ledger, violations }: Observation,
  { job, outcome }: Settlement,
  answer: SettleAnswer | undefined,
): JobRecord | null {
  const known = ledger.jobs.get(job.id);
  const record = heldBy(known, job);
  const why = (): string =>
    `${outcome.move} by ${nameOf(job)} was answered "${wordFor(answer)}", the job is ${known?.state} at epoch ${known?.epoch}, last settled by ${known?.settled?.epoch}`;
  if (record !== null) {
    const goesBack =
      outcome.move === 'retry' || outcome.move === 'defer' || outcome.move === 'handBack';
    const expected = goesBack && record.cancelAsked ? 'canceled' : 'settled';
    violations.expect(answer === expected, 'refusedWrite', why);
    return record;
  }
  // Nobody can say who settled a job that was forgotten meanwhile.
  if (isSameLease(known?.settled, job) && known?.forgotten !== true)
    violations.expect(answer === 'already', 'refusedWrite', why);
  else violations.expect(answer === 'stale', 'staleWrite', why);
  return null;
}

function checkOutcome(
  { ledger, violations }: Observation,
  record: JobRecord,
  outcome: SettledOutcome,
  during: string,
): void {
  if (outcome.move === 'cancel') {
    const isAsked = record.cancelAsked || ledger.asked.has(nameOfLease(record));
    violations.expect(isAsked, 'cancel', () => `${during}: nobody asked for it`);
  }
  if (outcome.move === 'fail' && outcome.error.retryable) {
    violations.expect(
      record.attempt >= record.maxAttempts,
      'attempts',
      () =>
        `${during} (${outcome.error.code}) after ${record.attempt} of ${record.maxAttempts} executions`,
    );
  }
  if (outcome.move === 'retry') {
    violations.expect(
      record.attempt < record.maxAttempts,
      'attempts',
      () => `${during} after the last of ${record.maxAttempts} executions`,
    );
  }
}

function apply({ move, now }: Observation, record: JobRecord, outcome: SettledOutcome): void {
  if (outcome.move === 'succeed') {
    enterExecution(record, 'succeeded', now());
    record.errorCode = null;
    return move(record, 'SUCCEEDED');
  }
  if (outcome.move === 'fail') {
    enterExecution(record, 'failed', now());
    record.errorCode = outcome.error.code;
    return move(record, 'FAILED');
  }
  if (outcome.move === 'cancel' || record.cancelAsked) {
    enterExecution(record, 'canceled', now());
    return move(record, 'CANCELED');
  }
  move(record, 'QUEUED');
  record.runAt = now() + (outcome.move === 'handBack' ? 0 : outcome.delayMs);
  // A deferral or a hand-back is no attempt; only a worker that puts the job back alive clears it.
  if (outcome.move !== 'retry') record.attempt -= 1;
  if (outcome.move === 'handBack') return;
  record.suspect = false;
  record.errorCode = outcome.move === 'retry' ? outcome.error.code : null;
  if (outcome.move === 'retry') enterExecution(record, 'retried', now());
}

function nameOf({ id, epoch }: Lease): string {
  return `${id}!${epoch}`;
}

function wordFor(answer: SettleAnswer | RenewAnswer | undefined): string {
  if (typeof answer !== 'object') return answer ?? '';
  return 'unknown' in answer ? 'unknown' : 'refused';
}
