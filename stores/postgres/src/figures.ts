import type { Filter, FinishedState, JobId, NewJob } from '@millrace/engine';

/** Figures over all jobs: counts by the minute, how much waits, and why jobs fail. */
export interface Figures {
  /** With their whole values so far: to keep one twice changes nothing. */
  keep(params: {
    readonly replica: string;
    /** Grows with each call. */
    readonly version: number;
    readonly rollups: readonly Rollup[];
  }): Promise<void>;
  /** From `from` on, in buckets of `bucketMs`; those in which nothing happened are left out. */
  sum(params: Range & Whose): Promise<Summed[]>;
  /** False: another replica has the minute already. */
  wantsSample(params: { readonly minute: number }): Promise<boolean>;
  sample(params: { readonly minute: number; readonly samples: readonly Sample[] }): Promise<void>;
  /** The most of each bucket. */
  samples(params: Range & Pick<Whose, 'tenants'>): Promise<Sampled[]>;
  /** One step: minutes become hours after two days, and nothing is kept for longer than eight. */
  tidy(): Promise<{ readonly more: boolean }>;
  /** Waiting jobs of each kind and tenant that has some, which `counts` of the store leaves out. */
  waiting(): Promise<WaitingSubqueue[]>;
  /** The newest that failed, or that wait for a retry. */
  failures(params: FailuresParams): Promise<Failure[]>;
  /** Reports jobs that the store makes and ends by itself from now on. One listens at a time. */
  listen(tally: Tally): void;
}

/** Where jobs come from, in the order in which rows have them: new ones go to the end. */
export const SOURCES = ['salesforce', 'api', 'schedule', 'pipeline', 'rule', 'other'] as const;
export type Source = (typeof SOURCES)[number];

/** The buckets of a histogram. Bucket n counts up to 4 · 2ⁿ ms, the last one everything beyond, which begins at 9 hours. */
export const BUCKETS = 24;

export const LEVEL = { all: 0, kind: 1, subqueue: 2 } as const;
export type Level = (typeof LEVEL)[keyof typeof LEVEL];

export interface Counted {
  /** By `SOURCES`. */
  readonly enqueued: readonly number[];
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
  readonly retried: number;
  readonly ran: readonly number[];
  readonly waited: readonly number[];
}

export interface Rollup extends Counted {
  readonly level: Level;
  /** Empty on the levels above. */
  readonly tenant: string;
  readonly kind: string;
  /** Milliseconds since 1970. */
  readonly minute: number;
}

export interface Range {
  readonly from: number;
  readonly to: number;
  readonly bucketMs: number;
}

export interface Whose {
  readonly tenants: readonly string[] | 'all';
  /** Left out: all. */
  readonly kinds?: readonly string[] | undefined;
}

export interface Summed extends Counted {
  /** The bucket's number, from 0. */
  readonly bucket: number;
}

export interface Sample {
  /** Null: of all. */
  readonly tenant: string | null;
  readonly waiting: number;
  readonly due: number;
  readonly running: number;
  readonly oldestDueSeconds: number | null;
}

export interface Sampled {
  readonly bucket: number;
  readonly waiting: number;
  readonly oldestDueSeconds: number | null;
  /** The minute of the oldest. */
  readonly oldestAt: number | null;
}

export interface WaitingSubqueue {
  readonly kind: string;
  readonly tenant: string;
  readonly retrying: number;
  /** Null: none is due. */
  readonly oldestDueAt: number | null;
}

export interface FailuresParams {
  readonly of: 'failed' | 'retrying';
  readonly filter: Pick<Filter, 'kind' | 'tenants' | 'submitter'>;
  readonly limit: number;
}

export interface Failure {
  readonly id: JobId;
  readonly kind: string;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly at: number;
}

/** Hears of jobs that the store makes and ends by itself, which no event reports. It may hear of a transaction that was undone. */
export interface Tally {
  made(jobs: readonly NewJob[]): void;
  /** By hand, or because a worker was lost. */
  ended(
    jobs: readonly {
      readonly kind: string;
      readonly tenant: string;
      readonly state: FinishedState;
    }[],
  ): void;
}

export interface TallyPoint extends Tally {
  listen(tally: Tally): void;
}

/** Until somebody listens, nobody hears. */
export function createTallyPoint(): TallyPoint {
  let to: Tally | null = null;
  return {
    made: (jobs) => to?.made(jobs),
    ended: (jobs) => to?.ended(jobs),
    listen(tally) {
      to = tally;
    },
  };
}
