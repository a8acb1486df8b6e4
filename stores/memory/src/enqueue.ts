import { type Enqueued, type NewJob, isFinished, refuseUnstorableJob } from '@millrace/engine';
import { type JobRow, type Transaction, keyOf } from './data.ts';
import { giveKeyUp, save } from './rows.ts';

export function enqueue(tx: Transaction, jobs: readonly NewJob[]): Enqueued[] {
  return jobs.map((job) => enqueueOne(tx, job));
}

export function enqueueOne(tx: Transaction, job: NewJob): Enqueued {
  refuseUnstorableJob(job);
  if (job.key === undefined) return { id: insert(tx, job), created: true };

  const place = keyOf(job.kind, job.tenant, job.key.value);
  const holder = tx.data.jobs.get(tx.data.keys.get(place) ?? '');
  if (holder !== undefined && keepsKey(holder, job.key.windowMs, tx.now))
    return { id: holder.id, created: false };

  if (holder !== undefined) {
    giveKeyUp(tx.data, holder);
    save(tx.data, { ...holder, key: null, keyWindowMs: null });
  }
  const id = insert(tx, job);
  tx.data.keys.set(place, id);
  return { id, created: true };
}

/** A live job keeps its key; one that succeeded keeps it for the window. A failed one never stands in the way. */
function keepsKey(holder: JobRow, windowMs: number, now: number): boolean {
  if (!isFinished(holder.state)) return true;
  return (
    holder.state === 'SUCCEEDED' && holder.finishedAt !== null && now - holder.finishedAt < windowMs
  );
}

function insert(tx: Transaction, job: NewJob): string {
  const n = tx.data.nextNumber();
  const id = `${tx.data.name}-${n}`;
  save(tx.data, {
    id,
    n,
    kind: job.kind,
    tenant: job.tenant,
    state: 'QUEUED',
    priority: job.priority,
    payload: job.payload,
    attempt: 0,
    maxAttempts: job.maxAttempts,
    createdAt: tx.now,
    runAt: dueAt(job, tx.now),
    startedAt: null,
    finishedAt: null,
    worker: null,
    cancelRequested: false,
    epoch: 0,
    settled: null,
    suspect: false,
    erased: false,
    executions: [],
    result: null,
    error: null,
    cursor: null,
    progress: null,
    key: job.key?.value ?? null,
    keyWindowMs: job.key?.windowMs ?? null,
    correlationId: job.correlationId ?? null,
    submitter: job.submitter ?? null,
    subject: job.subject ?? null,
    webhook: job.webhook ?? null,
    parents: job.parents === undefined ? null : { ...job.parents },
    schedule: job.schedule ?? null,
    traceparent: job.traceparent ?? null,
  });
  tx.hints.ready(job.kind);
  return id;
}

function dueAt({ due }: NewJob, now: number): number {
  if (due === undefined) return now;
  return 'at' in due ? due.at : now + due.afterMs;
}
