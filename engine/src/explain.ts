import { MillraceError } from './errors.ts';
import type { JobId } from './job.ts';
import type { Inspection, Store } from './port.ts';
import type { Registry } from './registry.ts';
import type { JobState } from './states.ts';
import type { WorkerStatus } from './worker.ts';

/** Why a job is where it is, and until when. */
export interface Explanation {
  readonly id: JobId;
  readonly state: JobState;
  readonly reason: Reason;
  readonly sentence: string;
  /** When the reason goes away by itself, if that is known. */
  readonly until: number | null;
}

export type Reason =
  | 'succeeded'
  | 'failed'
  | 'canceled'
  | 'running'
  | 'canceling'
  | 'lease_expired'
  | 'retry_wait'
  | 'scheduled'
  | 'kind_paused'
  | 'no_worker'
  | 'workers_paused'
  | 'pool_window'
  | 'below_min_priority'
  | 'tenant_quota'
  | 'slots_full'
  | 'behind_others'
  | 'about_to_run';

type Reported = { worker: string; kinds: readonly string[]; status: WorkerStatus | null };

export async function explain(store: Store, registry: Registry, id: JobId): Promise<Explanation> {
  const inspection = await store.inspect({ id });
  if (inspection === null) throw new MillraceError('job_not_found', `There is no job "${id}".`);
  const workers = (await store.workers()).map((report) => ({
    ...report,
    status: parseStatus(report.stats),
  }));
  const { reason, sentence, until } = reasonOf(
    inspection,
    workers,
    registry.get(inspection.job.kind)?.quota.running ?? null,
  );
  return { id, state: inspection.job.state, reason, sentence, until: until ?? null };
}

type Found = { reason: Reason; sentence: string; until?: number | null };

/** The first that applies, from what the job itself says to what the workers say. */
function reasonOf(
  inspection: Inspection,
  workers: readonly Reported[],
  runningQuota: number | null,
): Found {
  const { job, now } = inspection;
  switch (job.state) {
    case 'SUCCEEDED':
      return {
        reason: 'succeeded',
        sentence: `It succeeded at ${iso(job.finishedAt)} in execution ${job.attempt}.`,
      };
    case 'CANCELED':
      return {
        reason: 'canceled',
        sentence: `It was cancelled at ${iso(job.finishedAt)}. "millrace retry ${job.id}" runs it again.`,
      };
    case 'FAILED':
      return {
        reason: 'failed',
        sentence: `It failed for good at ${iso(job.finishedAt)} after ${times(job.attempt)}: ${job.error?.code ?? 'unknown'}: ${job.error?.message ?? ''} "millrace retry ${job.id}" runs it again.`,
      };
    case 'PROCESSING':
      return running(inspection);
    case 'QUEUED':
      return job.runAt > now
        ? waitingForTime(inspection)
        : waitingForWorker(inspection, workers, runningQuota);
  }
}

function running({ job, now }: Inspection): Found {
  const worker = job.worker ?? 'a worker';
  if (job.leaseUntil !== null && job.leaseUntil < now) {
    return {
      reason: 'lease_expired',
      sentence: `Its worker ${worker} has gone silent since ${iso(job.leaseUntil)}; the next claim of any worker takes it over.`,
    };
  }
  if (job.cancelRequested) {
    return {
      reason: 'canceling',
      sentence: `It runs on ${worker} and was asked to stop.`,
      until: job.leaseUntil,
    };
  }
  return {
    reason: 'running',
    sentence: `It runs on ${worker}, execution ${job.attempt} of ${job.maxAttempts}, since ${iso(job.startedAt)}.`,
    until: job.leaseUntil,
  };
}

function waitingForTime({ job }: Inspection): Found {
  if (job.error !== null) {
    return {
      reason: 'retry_wait',
      sentence: `Execution ${job.attempt} of ${job.maxAttempts} failed (${job.error.code}: ${job.error.message}); the next is due at ${iso(job.runAt)}.`,
      until: job.runAt,
    };
  }
  return {
    reason: 'scheduled',
    sentence: `It is not due before ${iso(job.runAt)}.`,
    until: job.runAt,
  };
}

function waitingForWorker(
  { job, kindPaused, ahead, runningOfTenant }: Inspection,
  workers: readonly Reported[],
  runningQuota: number | null,
): Found {
  if (kindPaused)
    return {
      reason: 'kind_paused',
      sentence: `The kind "${job.kind}" is paused for all workers. Resume it to go on.`,
    };
  const mine = workers.filter((worker) => worker.kinds.includes(job.kind));
  if (mine.length === 0) {
    return {
      reason: 'no_worker',
      sentence: `No worker that knows the kind "${job.kind}" has been seen in the last minute. Start one.`,
    };
  }
  const pools = mine
    .filter(({ status }) => status?.state === 'running')
    .flatMap(({ status }) => status?.pools.filter((pool) => pool.kinds.includes(job.kind)) ?? []);
  if (pools.length === 0)
    return {
      reason: 'workers_paused',
      sentence: `Every worker for the kind "${job.kind}" is paused or stopping: ${mine.map(({ worker }) => worker).join(', ')}.`,
    };
  const open = pools.filter((pool) => pool.heldUntil === null);
  if (open.length === 0) {
    const until = Math.min(...pools.map((pool) => pool.heldUntil ?? Infinity));
    return {
      reason: 'pool_window',
      sentence: `A pause window holds its pool until ${iso(until)}.`,
      until,
    };
  }
  if (
    open.every(
      (pool) => pool.minPriority !== null && (job.priority ?? -Infinity) < pool.minPriority,
    )
  ) {
    return {
      reason: 'below_min_priority',
      sentence: `Its priority (${job.priority ?? 'none'}) is below the minimum of every pool for its kind.`,
    };
  }
  if (runningQuota !== null && runningOfTenant >= runningQuota) {
    return {
      reason: 'tenant_quota',
      sentence: `Its tenant runs ${jobs(runningOfTenant)} of this kind, as many as the quota allows.`,
    };
  }
  const first = `${jobs(ahead)} of its kind and tenant ${ahead === 1 ? 'comes' : 'come'} first.`;
  if (
    open.every((pool) => pool.inFlight >= pool.concurrency || pool.fullKinds.includes(job.kind))
  ) {
    return { reason: 'slots_full', sentence: `All slots for its kind are taken; ${first}` };
  }
  if (ahead > 0) return { reason: 'behind_others', sentence: first };
  return {
    reason: 'about_to_run',
    sentence: 'It is due and next in line: a worker takes it with its next claim.',
  };
}

function parseStatus(stats: string): WorkerStatus | null {
  try {
    return JSON.parse(stats) as WorkerStatus;
  } catch {
    return null;
  }
}

function iso(ms: number | null): string {
  return ms === null ? 'an unknown time' : new Date(ms).toISOString();
}

function times(n: number): string {
  return n === 1 ? 'one execution' : `${n} executions`;
}

function jobs(n: number): string {
  return n >= 1_000 ? '1,000 or more jobs' : n === 1 ? 'one job' : `${n} jobs`;
}
