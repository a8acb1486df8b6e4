import { MillraceError } from '../errors.ts';
import type { JobId } from '../job.ts';
import type { Inspection } from '../port.ts';
import type { Registry } from '../kinds/registry.ts';
import type { JobState } from '../states.ts';
import type { AskedStore } from '../within.ts';
import { failureInWords } from '../values/failure.ts';
import { REPORT_EVERY_MS, SILENT_AFTER_MS, type WorkerStatus } from '../worker/status.ts';

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
  | 'worker_silent'
  | 'lease_expired'
  | 'retry_wait'
  | 'scheduled'
  | 'kind_paused'
  | 'no_worker'
  | 'workers_paused'
  | 'pool_window'
  | 'below_min_priority'
  | 'suspect'
  | 'suspect_first'
  | 'tenant_quota'
  | 'slots_full'
  | 'behind_others'
  | 'about_to_run';

interface Reported {
  readonly worker: string;
  readonly kinds: readonly string[];
  readonly status: WorkerStatus | null;
  readonly seenAt: number;
  readonly isSilent: boolean;
}

export async function explain(
  store: AskedStore,
  registry: Registry,
  id: JobId,
): Promise<Explanation> {
  const inspection = await store.inspect({ id });
  if (inspection === null) throw new MillraceError('job_not_found', `There is no job "${id}".`);
  const workers = ((await store.control?.workers()) ?? []).map((report) => ({
    ...report,
    status: parseStatus(report.stats),
    isSilent: inspection.now - report.seenAt > SILENT_AFTER_MS,
  }));
  const { reason, sentence, until } = reasonOf(
    inspection,
    workers,
    registry.get(inspection.job.kind)?.quota.running ?? null,
    await shownAlone(store, workers),
  );
  return { id, state: inspection.job.state, reason, sentence, until: until ?? null };
}

/** The jobs that run alone on a worker and that the caller may see: workers take the jobs of everybody. */
async function shownAlone(
  store: AskedStore,
  workers: readonly Reported[],
): Promise<ReadonlySet<JobId>> {
  const ids = workers.flatMap(({ status }) => status?.alone ?? []);
  if (ids.length === 0) return new Set();
  return new Set((await store.summaries({ ids })).map(({ id }) => id));
}

type Found = { reason: Reason; sentence: string; until?: number | null };

/**
 * The first reason that applies: from the job's own state and time to what is said of its kind, tenant and workers.
 */
function reasonOf(
  inspection: Inspection,
  workers: readonly Reported[],
  runningQuota: number | null,
  shown: ReadonlySet<JobId>,
): Found {
  const { job, now } = inspection;
  switch (job.state) {
    case 'SUCCEEDED':
      return {
        reason: 'succeeded',
        sentence: `It succeeded at ${iso(job.finishedAt)} in attempt ${job.attempt}.`,
      };
    case 'CANCELED':
      return {
        reason: 'canceled',
        sentence: `It was cancelled at ${iso(job.finishedAt)}. "millrace retry ${job.id}" runs it again.`,
      };
    case 'FAILED':
      return {
        reason: 'failed',
        sentence: `It failed for good at ${iso(job.finishedAt)} after ${times(job.attempt)}: ${job.error === null ? '' : ended(failureInWords(job.error))} "millrace retry ${job.id}" runs it again.`,
      };
    case 'PROCESSING':
      return running(inspection, workers);
    case 'QUEUED':
      return job.runAt > now
        ? waitingForTime(inspection)
        : waitingForWorker(inspection, workers, runningQuota, shown);
  }
}

function running({ job, now, suspect }: Inspection, workers: readonly Reported[]): Found {
  const worker = job.worker ?? 'a worker';
  const report = workers.find((each) => each.worker === job.worker);
  const silence =
    report?.isSilent === true
      ? `${worker}, which was last heard from at ${iso(report.seenAt)}: it died, froze or is cut off`
      : null;
  if (job.leaseUntil !== null && job.leaseUntil < now) {
    return {
      reason: 'lease_expired',
      sentence: `It was claimed by ${silence ?? worker}. Its lease ended at ${iso(job.leaseUntil)}. ${nextClaim(job.kind, workers)}`,
    };
  }
  if (silence !== null) {
    return {
      reason: 'worker_silent',
      sentence: `It was claimed by ${silence}. Its lease ends at ${iso(job.leaseUntil)}. ${nextClaim(job.kind, workers)}`,
      until: job.leaseUntil,
    };
  }
  if (job.cancelRequested) {
    return {
      reason: 'canceling',
      sentence: `It runs on ${worker} and was asked to stop.`,
      until: job.leaseUntil,
    };
  }
  if (suspect) {
    return {
      reason: 'suspect',
      sentence: `A worker was lost while it may have run. Now ${worker} has it, and runs it alone as soon as nothing else runs there.`,
      until: job.leaseUntil,
    };
  }
  // A process that was killed says nothing of it: between its last report and the third that is missing nobody can know.
  const isLate = report !== undefined && now - report.seenAt > LATE_AFTER_MS;
  const doubt = isLate
    ? ` ${worker} should have reported since ${iso(report.seenAt)}: if it is gone, others take the job over after ${iso(job.leaseUntil)}.`
    : '';
  return {
    reason: 'running',
    sentence: `It ${isLate ? 'was running' : 'runs'} on ${worker}, attempt ${job.attempt} of ${job.maxAttempts}, since ${iso(job.startedAt)}.${doubt}`,
    until: job.leaseUntil,
  };
}

/** A report may come a little later than its time. */
const LATE_AFTER_MS = 1.5 * REPORT_EVERY_MS;

function ended(words: string): string {
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

function nextClaim(kind: string, workers: readonly Reported[]): string {
  return workers.some((each) => !each.isSilent && each.kinds.includes(kind))
    ? 'Then the next claim of any worker takes it over.'
    : `No worker that knows the kind "${kind}" is alive. Start one: it takes the job over.`;
}

function waitingForTime({ job }: Inspection): Found {
  if (job.error !== null) {
    return {
      reason: 'retry_wait',
      sentence: `Attempt ${job.attempt} of ${job.maxAttempts} failed (${failureInWords(job.error)}); the next is due at ${iso(job.runAt)}.`,
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
  { job, kindPaused, ahead, suspect, runningOfTenant }: Inspection,
  workers: readonly Reported[],
  runningQuota: number | null,
  shown: ReadonlySet<JobId>,
): Found {
  if (kindPaused)
    return {
      reason: 'kind_paused',
      sentence: `The kind "${job.kind}" is paused for all workers. Resume it to go on.`,
    };
  const known = workers.filter((worker) => worker.kinds.includes(job.kind));
  const mine = known.filter((worker) => !worker.isSilent);
  if (mine.length === 0) return noWorker(job.kind, known);
  const pools = mine
    .filter(({ status }) => status?.state === 'running')
    .flatMap(({ status }) => status?.pools.filter((pool) => pool.kinds.includes(job.kind)) ?? []);
  if (pools.length === 0)
    return {
      reason: 'workers_paused',
      sentence: `Every worker for the kind "${job.kind}" is paused or stopping: ${mine.map(({ worker }) => worker).join(', ')}.`,
    };
  const busy = mine.filter(({ status }) => status?.state === 'running');
  const alone = busy.map(({ status }) => status?.alone ?? null);
  if (!suspect && alone.every((id) => id !== null)) {
    const named = alone.map((id) => (id !== null && shown.has(id) ? id : 'another job'));
    return {
      reason: 'suspect_first',
      sentence: `A worker was lost with ${named.join(' and ')}: it now runs alone on ${busy.map(({ worker }) => worker).join(' and ')}. The others go on when it has ended.`,
    };
  }
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
  if (suspect) {
    return {
      reason: 'suspect',
      sentence:
        'A worker was lost while it may have run. It waits for a worker to be empty, and then runs alone there.',
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

function noWorker(kind: string, silent: readonly Reported[]): Found {
  const last = silent.toSorted((a, b) => b.seenAt - a.seenAt)[0];
  const since =
    last === undefined
      ? 'has been seen lately'
      : `is alive: the last was ${last.worker}, heard from at ${iso(last.seenAt)}`;
  return {
    reason: 'no_worker',
    sentence: `No worker that knows the kind "${kind}" ${since}. Start one.`,
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
  return n === 1 ? 'one attempt' : `${n} attempts`;
}

function jobs(n: number): string {
  return n >= 1_000 ? '1,000 or more jobs' : n === 1 ? 'one job' : `${n} jobs`;
}
