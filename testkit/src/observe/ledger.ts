import type { Execution, Job, JobId, JobState, JsonText, Lease } from '@millrace/engine';

/**
 * A job as the observer knows it from the writes that the store accepted, in its own words and by its
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
  /** Null once the record of an ended job was erased. */
  subject: string | null;
  readonly tag: string;
  /** Parents of one group belong together. */
  readonly group: string;
  key: string | null;
  /** As given with the key. */
  keyWindowMs: number;
  state: JobState;
  /** Counted as the rules say: up at each claim, down when given back, from 1 again when the cursor moves. */
  attempt: number;
  /** The epoch of the newest lease; 0 before the first. */
  epoch: number;
  claim: number;
  /** When that lease ends, by the store's clock. */
  until: number;
  /** It was renewed, so the job has been begun. */
  renewed: boolean;
  /** The attempt that its handler sees. */
  leaseAttempt: number;
  startedAt: number;
  /** The process that has it. */
  holder: string;
  settled: Pick<Lease, 'epoch' | 'claim'> | null;
  /** A worker was lost with it. */
  suspect: boolean;
  cancelAsked: boolean;
  erased: boolean;
  errorCode: string | null;
  cursor: JsonText | null;
  /** The step of the newest lease's last checkpoint. */
  step: number;
  /** Every progress that was saved, in the order it arrived. */
  readonly progress: JsonText[];
  /** The executions that are kept, each as `describeExecution` has it. */
  readonly executions: string[];
  runAt: number;
  /** When it last came into the queue. */
  queuedAt: number;
  finishedAt: number | null;
  forgotten: boolean;
}

export interface Ledger {
  readonly jobs: ReadonlyMap<JobId, JobRecord>;
  /** The jobs that are PROCESSING, and those that are QUEUED: claims look at no others. */
  readonly leased: ReadonlySet<JobRecord>;
  readonly queued: ReadonlySet<JobRecord>;
  readonly pausedKinds: Set<string>;
  /** How often the store has lost its last commits. */
  readonly failOvers: number;
  /** The lease of the job whose handler ended a process, by the process. */
  readonly killers: Map<string, string>;
  /** Leases whose end the store has answered for, also where a fail-over has forgotten it since. */
  readonly answered: Set<string>;
  /** Processes that have heard of suspects and may be emptying themselves for one, with the kinds of the pool that did. */
  readonly emptying: Map<string, ReadonlySet<string>>;
  /** Leases whose jobs were asked to stop. Their workers may know of it when the store has lost it. */
  readonly asked: Set<string>;
  add(job: Job): JobRecord;
  enter(record: JobRecord, state: JobState): void;
  runningOf(kind: string, tenant: string): number;
  unfinished(): JobRecord[];
  /** Gives a function that brings all records back to how they are now: commits since then are lost. */
  snapshot(): () => void;
}

export function createLedger(): Ledger {
  const jobs = new Map<JobId, JobRecord>();
  const leased = new Set<JobRecord>();
  const queued = new Set<JobRecord>();
  const pausedKinds = new Set<string>();
  let failOvers = 0;

  function enter(record: JobRecord, state: JobState): void {
    record.state = state;
    leased.delete(record);
    queued.delete(record);
    if (state === 'PROCESSING') leased.add(record);
    if (state === 'QUEUED') queued.add(record);
  }

  function snapshot(): () => void {
    const records = [...jobs.values()].map(copyOf);
    const paused = [...pausedKinds];
    return () => {
      failOvers += 1;
      for (const each of [jobs, leased, queued, pausedKinds]) each.clear();
      for (const kind of paused) pausedKinds.add(kind);
      for (const record of records) {
        jobs.set(record.id, record);
        enter(record, record.state);
      }
    };
  }

  return {
    jobs,
    leased,
    queued,
    pausedKinds,
    get failOvers() {
      return failOvers;
    },
    killers: new Map(),
    answered: new Set(),
    asked: new Set(),
    emptying: new Map(),
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
    snapshot,
  };
}

function copyOf(record: JobRecord): JobRecord {
  return { ...record, progress: [...record.progress], executions: [...record.executions] };
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
    subject: job.subject,
    tag: tagOf(job.payload),
    group: groupOf(job.payload),
    key: job.key,
    keyWindowMs: 0,
    state: 'QUEUED',
    attempt: 0,
    epoch: 0,
    claim: 0,
    until: 0,
    renewed: false,
    leaseAttempt: 0,
    startedAt: 0,
    holder: '',
    settled: null,
    suspect: false,
    cancelAsked: false,
    erased: false,
    errorCode: null,
    cursor: null,
    step: 0,
    progress: [],
    executions: [],
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

export function isSameLease(
  a: Pick<Lease, 'epoch' | 'claim'> | null | undefined,
  b: Pick<Lease, 'epoch' | 'claim'>,
): boolean {
  return a?.epoch === b.epoch && a.claim === b.claim;
}

/** The record if its newest lease is this one, and nobody has ended it. */
export function heldBy(record: JobRecord | undefined, lease: Lease): JobRecord | null {
  return record?.state === 'PROCESSING' && isSameLease(record, lease) ? record : null;
}

/** The whole of a lease; in traces its claim is left out. */
export function nameOfLease({ id, epoch, claim }: Lease): string {
  return `${id}!${epoch}!${claim}`;
}

/** The last ones that are kept, by the specification (A19). */
const KEPT = 20;

export function describeExecution(execution: Omit<Execution, 'stack' | 'error'>): string {
  const { attempt, outcome, worker, startedAt, endedAt } = execution;
  return `#${attempt} ${outcome} by ${worker} ${startedAt}-${endedAt}`;
}

/** Enters the execution that ends now; a success only beside others. */
export function enterExecution(
  record: JobRecord,
  outcome: Execution['outcome'],
  endedAt: number,
): void {
  const { leaseAttempt: attempt, holder: worker, startedAt, executions } = record;
  if (outcome === 'succeeded' && executions.length === 0) return;
  executions.push(describeExecution({ attempt, worker, startedAt, endedAt, outcome }));
  if (executions.length > KEPT) executions.shift();
}
