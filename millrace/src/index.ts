// What a program imports: job kinds, and Millrace inside its own process.

export {
  type Canceled,
  type Chunk,
  type Count,
  type Duration,
  type Enqueued,
  type EventMap,
  type EventName,
  type Events,
  type Explanation,
  type Filter,
  type JobContext,
  JobFailure,
  type JobId,
  type JobKind,
  type JobState,
  type JobSummary,
  type Log,
  MillraceError,
  type Outcome,
  type PoolConfig,
  type Progress,
  RETRY,
  type Rule,
  type RunningJob,
  type Schedule,
  StoreUnavailable,
  type WorkerStatus,
  defer,
  defineJob,
  defineRule,
  defineSchedule,
  done,
} from '@millrace/engine';
export { createMillrace } from './create.ts';
export type { EmbeddedDatabase, PoolLike } from './database.ts';
export type { EnqueueOptions, JobOptions, Millrace, NewJobOf } from './handle.ts';
export type { FoundJob } from './job.ts';
export type { MillraceOptions } from './options.ts';
export type {
  AnyTransaction,
  DrizzleTransaction,
  KnexTransaction,
  KyselyTransaction,
  PgTransaction,
  PrismaTransaction,
  Transaction,
} from './transactions.ts';
