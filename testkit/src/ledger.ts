import type { Job, JobId, JobState, JsonText } from '@millrace/engine';

/**
 * What the observer knows of a job from the writes that the store accepted, in its own words and by its
 * own arithmetic: it shares no code with the store it checks.
 */
export interface JobRecord {
  readonly id: JobId;
  /** Its place in the order of creation, which is its age. */
  readonly n: number;
  readonly kind: string;
  readonly tenant: string;
  readonly priority: number | null;
  readonly maxAttempts: number;
  readonly webhook: string | null;
  readonly schedule: string | null;
  readonly tag: string;
  /** Parents of one group belong together. */
  readonly group: string;
  key: string | null;
  state: JobState;
  /** Counted as the rules say: up at each claim, down when given back, anew when the cursor moves. */
  attempt: number;
  /** Of the newest lease; 0 before the first. */
  epoch: number;
  /** When that lease ends, by the store's clock. */
  until: number;
  claimId: string;
  /** The process that has it. */
  holder: string;
  settledEpoch: number | null;
  cancelAsked: boolean;
  cursor: JsonText | null;
  /** Of the newest lease's last checkpoint. */
  step: number;
  /** Every progress that was saved, in the order it arrived. */
  readonly progress: JsonText[];
  runAt: number;
  /** When it last came into the queue. */
  queuedAt: number;
  finishedAt: number | null;
  forgotten: boolean;
}

export interface Ledger {
  readonly jobs: ReadonlyMap<JobId, JobRecord>;
  /** Those that are PROCESSING, and those that are QUEUED: claims look at no others. */
  readonly leased: ReadonlySet<JobRecord>;
  readonly queued: ReadonlySet<JobRecord>;
  readonly pausedKinds: Set<string>;
  /** The highest that was ever given. */
  epoch: number;
  add(job: Job): JobRecord;
  enter(record: JobRecord, state: JobState): void;
  runningOf(kind: string, tenant: string): number;
  unfinished(): JobRecord[];
}

export function createLedger(): Ledger {
  const jobs = new Map<JobId, JobRecord>();
  const leased = new Set<JobRecord>();
  const queued = new Set<JobRecord>();

  function enter(record: JobRecord, state: JobState): void {
    record.state = state;
    leased.delete(record);
    queued.delete(record);
    if (state === 'PROCESSING') leased.add(record);
    if (state === 'QUEUED') queued.add(record);
  }

  return {
    jobs,
    leased,
    queued,
    pausedKinds: new Set(),
    epoch: 0,
    add(job) {
      const record = recordOf(job, jobs.size + 1);
      jobs.set(job.id, record);
      enter(record, 'QUEUED');
      return record;
    },
    enter,
    runningOf: (kind, tenant) =>
      [...leased].filter((each) => each.kind === kind && each.tenant === tenant).length,
    unfinished: () => [...queued, ...leased],
  };
}

function recordOf(job: Job, n: number): JobRecord {
  return {
    id: job.id,
    n,
    kind: job.kind,
    tenant: job.tenant,
    priority: job.priority,
    maxAttempts: job.maxAttempts,
    webhook: job.webhook,
    schedule: job.schedule,
    tag: tagOf(job.payload),
    group: groupOf(job.payload),
    key: job.key,
    state: 'QUEUED',
    attempt: 0,
    epoch: 0,
    until: 0,
    claimId: '',
    holder: '',
    settledEpoch: null,
    cancelAsked: false,
    cursor: null,
    step: 0,
    progress: [],
    runAt: job.runAt,
    queuedAt: job.createdAt,
    finishedAt: null,
    forgotten: false,
  };
}

/** Every job of a simulation says in its data why it was made. */
export function tagOf(payload: JsonText | null): string {
  const data: unknown = JSON.parse(payload ?? 'null');
  if (data === null || typeof data !== 'object') return '';
  if ('tag' in data) return String(data.tag);
  return 'job' in data ? String(data.job) : '';
}

function groupOf(payload: JsonText | null): string {
  const data: unknown = JSON.parse(payload ?? 'null');
  return data !== null && typeof data === 'object' && 'group' in data ? String(data.group) : '';
}

export function isExpired(record: JobRecord, now: number): boolean {
  return record.until < now;
}
