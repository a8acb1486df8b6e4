import type { Log } from '@millrace/engine';
import type { BusinessUnit } from '@millrace/marketing-cloud';
import type { Meter, Tally } from './calls.ts';
import type { FieldsOf, NamesOf } from './catalog/catalog.ts';
import type { Cleanup } from './cleanup.ts';
import type { FailureCode } from './errors.ts';
import type { RunJobs } from './jobs.ts';
import type { QueryMetrics } from './observe.ts';
import type { PollConfig } from './poll/config.ts';
import type { Statuses } from './poll/statuses.ts';
import type { QueryRunRecord } from './runs/query-run.ts';
import type { End, Noted } from './runs/write.ts';
import type { RunStore } from './runs/store.ts';

/** What the jobs of runs work with. */
export interface Workshop {
  readonly runs: RunStore;
  readonly jobs: RunJobs;
  /** Of a run. Throws where the MID is not one of ours any more. */
  readonly businessUnit: (mid: string) => BusinessUnit;
  readonly fieldsOf: FieldsOf;
  readonly namesOf: NamesOf;
  readonly statuses: Statuses;
  readonly meter: Meter;
  readonly metrics: QueryMetrics;
  readonly config: WorkConfig;
  readonly random: () => number;
  readonly log: Log;
  readonly cleanup: Cleanup;
  /** Ends the run, unless it is over, and cleans up after it. */
  end(run: QueryRunRecord, end: End, last?: Tallied): Promise<void>;
  fail(run: QueryRunRecord, code: FailureCode, message: string, last?: Tallied): Promise<void>;
}

/** What the poll that ends a run saw, written with the end; its tally has then been counted. */
export interface Tallied {
  readonly noted: Omit<Noted, 'calls'>;
  readonly tally: Tally;
}

export interface WorkConfig {
  readonly poll: PollConfig;
  readonly keepResultsMs: number;
  /** Data extensions and queries have folders of different kinds, which Marketing Cloud does not mix; left out: the root folder. */
  readonly dataExtensionFolderId?: string | undefined;
  readonly queryFolderId?: string | undefined;
  /** For how long, and how often, a start whose answer was lost is looked for. */
  readonly startLookMs: number;
  readonly startLookEveryMs: number;
}
