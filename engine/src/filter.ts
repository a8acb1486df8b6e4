import type { JobSummary } from './job.ts';
import type { JobState } from './states.ts';

/**
 * Where a job is, as people say it: what is QUEUED is due, waits for its moment, or waits to be tried again. Each phase is of
 * one state.
 */
export const PHASES = [
  'due',
  'scheduled',
  'retrying',
  'running',
  'succeeded',
  'failed',
  'canceled',
] as const;
export type Phase = (typeof PHASES)[number];

export const STATE_OF_PHASE: Readonly<Record<Phase, JobState>> = {
  due: 'QUEUED',
  scheduled: 'QUEUED',
  retrying: 'QUEUED',
  running: 'PROCESSING',
  succeeded: 'SUCCEEDED',
  failed: 'FAILED',
  canceled: 'CANCELED',
};

/** All the phases of these states. */
export function phasesOf(states: readonly JobState[]): Phase[] {
  return PHASES.filter((phase) => states.includes(STATE_OF_PHASE[phase]));
}

export function phaseOf(
  { state, runAt, error }: Pick<JobSummary, 'state' | 'runAt' | 'error'>,
  now: number,
): Phase {
  if (state !== 'QUEUED') {
    const [phase = 'due'] = phasesOf([state]);
    return phase;
  }
  if (runAt <= now) return 'due';
  return error === null ? 'scheduled' : 'retrying';
}

/** Selects jobs. Fields that are left out do not matter. */
export interface Filter {
  readonly state?: JobState;
  /** In one of these. */
  readonly phases?: readonly Phase[];
  readonly kind?: string;
  /** Jobs of one of these kinds. */
  readonly kinds?: readonly string[];
  readonly tenant?: string;
  /** Jobs of one of these tenants. No tenant at all fits no job. */
  readonly tenants?: readonly string[];
  readonly submitter?: string;
  /** Runs now, by this worker. */
  readonly worker?: string;
  readonly schedule?: string;
  readonly key?: string;
  readonly correlationId?: string;
  readonly errorCode?: string;
  /** Its id, key, correlation id or submitter is this text, or its kind begins with it. */
  readonly search?: string;
  readonly createdAfter?: number;
  readonly createdBefore?: number;
}

/** The fields of a job that a filter compares. */
type Filtered = Pick<
  JobSummary,
  | 'id'
  | 'state'
  | 'runAt'
  | 'kind'
  | 'tenant'
  | 'submitter'
  | 'worker'
  | 'schedule'
  | 'key'
  | 'correlationId'
  | 'error'
  | 'createdAt'
>;

/**
 * For stores that look at their jobs one by one: every part of the filter that is there must fit. Times: from `createdAfter`
 * on, up to but without `createdBefore`.
 */
export function fitsFilter(job: Filtered, filter: Filter, now: number): boolean {
  const { createdAfter = -Infinity, createdBefore = Infinity } = filter;
  return (
    (filter.state === undefined || job.state === filter.state) &&
    (filter.phases === undefined || filter.phases.includes(phaseOf(job, now))) &&
    (filter.kind === undefined || job.kind === filter.kind) &&
    (filter.kinds === undefined || filter.kinds.includes(job.kind)) &&
    (filter.tenant === undefined || job.tenant === filter.tenant) &&
    (filter.tenants === undefined || filter.tenants.includes(job.tenant)) &&
    (filter.submitter === undefined || job.submitter === filter.submitter) &&
    (filter.worker === undefined || isRunBy(job, filter.worker)) &&
    (filter.schedule === undefined || job.schedule === filter.schedule) &&
    (filter.key === undefined || job.key === filter.key) &&
    (filter.correlationId === undefined || job.correlationId === filter.correlationId) &&
    (filter.errorCode === undefined || job.error?.code === filter.errorCode) &&
    (filter.search === undefined || isFound(job, filter.search)) &&
    job.createdAt >= createdAfter &&
    job.createdAt < createdBefore
  );
}

function isRunBy({ state, worker }: Filtered, wanted: string): boolean {
  return state === 'PROCESSING' && worker === wanted;
}

function isFound({ id, key, correlationId, submitter, kind }: Filtered, text: string): boolean {
  return [id, key, correlationId, submitter].includes(text) || kind.startsWith(text);
}
