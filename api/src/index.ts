export {
  type Access,
  type Audit,
  type Contract,
  type Example,
  type JobState,
  MAX_PAGE,
  ROLES,
  type Role,
  TENANT_HEADER,
  allows,
  anyMoment,
  csvRecord,
  duration,
  jobId,
  jobState,
  kindName,
  moment,
  nearest,
  tenantName,
  trueOrFalse,
} from '@millrace/workload-kit/contract';
export * from './call.ts';
export * from './client.ts';
export * from './contracts.ts';
export * from './errors.ts';
export * from './failure-words.ts';
export * from './job-errors.ts';
export * from './job.ts';
export { openApi } from './openapi.ts';
export type * from './openapi/types.ts';
export * from './overview.ts';
export * from './problem.ts';
export type { AuditEntry } from './routes/audit.ts';
export {
  type Enqueued,
  type JobRequest,
  MAX_BATCH,
  enqueued,
  jobRequest,
} from './routes/enqueue.ts';
export type { ErrorGroup } from './routes/error-groups.ts';
export { type LiveEvent, TOPICS, type Topic, liveEvent } from './routes/events.ts';
export type { Check } from './routes/health.ts';
export type { Me, Place, SignIn } from './routes/identity.ts';
export type { SettingInForce } from './routes/installation.ts';
export { JOB_PHASES, type JobFilter, type JobPhase, jobFilter, narrowed } from './filter.ts';
export { BULK_ACTIONS, BULK_COUNTED, type BulkAction, type BulkActionJson } from './routes/bulk.ts';
export type { Kind } from './routes/kinds.ts';
export type { Replica } from './replica.ts';
export { SAVED, type SavedThing, type SavedWhat } from './routes/saved.ts';
export { type RunningServer, runningFolder, runningServer } from './running.ts';
