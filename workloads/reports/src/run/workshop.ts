import type { Clock, Duration, JobContext, RunningJob } from '@millrace/engine';
import type { SqlSource } from '@millrace/sql-source';
import type { Deliver, Step } from '@millrace/workload-kit';
import type { ReportDefinition } from '../catalogue/types.ts';
import type { ReportJob } from '../job-data.ts';
import type { Outputs } from '../outputs/types.ts';
import type { RunLog } from '../runs/log.ts';

/** What the job of a report works with. */
export interface Workshop {
  /** The definition that a job was made with, whatever the files say by now; null: nobody has kept it. */
  definition(name: string, digest: string): Promise<ReportDefinition | null>;
  readonly source: SqlSource;
  readonly outputs: Outputs;
  readonly runs: RunLog;
  readonly steps: (name: string) => Step | undefined;
  /** The token of whoever submitted the job; null: it is not kept, or can no longer be read. */
  token(job: ReportRunning): Promise<string | null>;
  readonly deliver: Deliver;
  /** Forgets the token that was kept for a job. */
  forgetToken(job: string): Promise<void>;
  readonly metrics: WorkMetrics;
  readonly clock: Clock;
  readonly config: WorkConfig;
}

export interface WorkMetrics {
  chunk(format: string, chunk: { readonly rows: number; readonly bytes: Uint8Array }): void;
  restarted(): void;
  failed(code: string): void;
}

export interface WorkConfig {
  /** A chunk ends with the first row that makes it so large, in rows and in bytes as the source sends them. */
  readonly chunk: { readonly bytes: number; readonly rows: number };
  readonly statementTimeoutMs: number;
  /** A snapshot that is older is given up between two chunks: it keeps the source from cleaning up. */
  readonly snapshotMaxAgeMs: number;
  /** How long a source may be away. */
  readonly patience: Duration;
  /** How long files are kept where the report does not say. */
  readonly keepMs: number;
}

export type ReportRunning = RunningJob<ReportJob>;

/** One execution. */
export interface Execution {
  readonly workshop: Workshop;
  readonly job: ReportRunning;
  readonly context: JobContext;
}
