import type { AuditEntry, Job, Kind, Replica } from '@millrace/api';

/** The moment at which every test begins. */
export const NOW = Date.parse('2026-01-31T12:00:00.000Z');

export function at(msFromNow: number): string {
  return new Date(NOW + msFromNow).toISOString();
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

export function aJob(changes: Partial<Job> = {}): Job {
  return {
    id: 'pg-1',
    kind: 'hello',
    tenant: '',
    state: 'QUEUED',
    priority: null,
    attempt: 0,
    maxAttempts: 4,
    createdAt: at(-5 * MINUTE),
    runAt: at(-5 * MINUTE),
    startedAt: null,
    finishedAt: null,
    worker: null,
    leaseUntil: null,
    cancelRequested: false,
    progress: null,
    error: null,
    key: null,
    correlationId: null,
    submitter: null,
    subject: null,
    webhook: null,
    parents: null,
    schedule: null,
    data: { name: 'Ada' },
    result: null,
    cursor: null,
    log: null,
    executions: [],
    children: [],
    ...changes,
  };
}

export function running(changes: Partial<Job> = {}): Job {
  return aJob({
    state: 'PROCESSING',
    attempt: 1,
    startedAt: at(-2 * MINUTE),
    worker: 'host-1',
    leaseUntil: at(MINUTE),
    ...changes,
  });
}

export function succeeded(changes: Partial<Job> = {}): Job {
  return aJob({
    state: 'SUCCEEDED',
    attempt: 1,
    startedAt: at(-3 * MINUTE),
    finishedAt: at(-3 * MINUTE + 1_500),
    result: { greeting: 'Hello Ada' },
    ...changes,
  });
}

export function failed(changes: Partial<Job> = {}): Job {
  return aJob({
    state: 'FAILED',
    attempt: 4,
    startedAt: at(-MINUTE),
    finishedAt: at(-30 * SECOND),
    error: { code: 'upload_failed', message: 'The file store said no.', retryable: true },
    ...changes,
  });
}

export function aKind(changes: Partial<Kind> = {}): Kind {
  return {
    name: 'hello',
    public: true,
    policy: '3 retries, after 1 min, 5 min and 15 min',
    maxAttempts: 4,
    timeoutMs: 10 * MINUTE,
    concurrency: null,
    quota: { queued: null, running: null },
    input: { type: 'object' },
    paused: null,
    ...changes,
  };
}

export function aReplica(changes: Partial<Replica> = {}): Replica {
  return {
    id: 'host-1',
    state: 'running',
    version: '1.0.0',
    startedAt: at(-3_725 * SECOND),
    jobs: [],
    pools: [],
    wanted: null,
    takenOver: null,
    seenAt: at(-2 * SECOND),
    lastPollTime: at(-4 * SECOND),
    uptimeSeconds: 3_725,
    inFlight: 2,
    kinds: ['hello'],
    totalProcessed: 1_204,
    totalSucceeded: 1_200,
    totalFailed: 4,
    totalRetries: 7,
    ...changes,
  };
}

export function anAuditEntry(changes: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: '17',
    at: at(-5 * MINUTE),
    actor: 'ada@example.com',
    subject: 'b7b0c6c4-4f6e-4c0b-a3a5-0d3a4b1f2c11',
    tenants: null,
    allTenants: false,
    action: 'cancelJob',
    target: 'pg-1',
    filter: null,
    count: 1,
    outcome: 'done',
    correlationId: 'c-17',
    ...changes,
  };
}
