export * from './access.ts';
export * from './client.ts';
export * from './contract.ts';
export * from './contracts.ts';
export * from './errors.ts';
export * from './job-errors.ts';
export * from './job.ts';
export { nearest } from './nearest.ts';
export { MAX_PAGE } from './page.ts';
export { openApi } from './openapi.ts';
export type * from './openapi/types.ts';
export * from './problem.ts';
export type { AuditEntry } from './routes/audit.ts';
export { type Batch, type Envelope, envelope } from './routes/documents.ts';
export {
  type Enqueued,
  type JobRequest,
  MAX_BATCH,
  enqueued,
  jobRequest,
} from './routes/enqueue.ts';
export { type LiveEvent, TOPICS, type Topic, liveEvent } from './routes/events.ts';
export type { File } from './routes/files.ts';
export type { Check } from './routes/health.ts';
export type { Me, SignIn } from './routes/identity.ts';
export { type JobFilter, jobFilter } from './routes/jobs.ts';
export type { Kind } from './routes/kinds.ts';
export { DOCX_TYPE, type LintReport, type Template } from './routes/templates.ts';
export type { Replica } from './routes/worker.ts';
export { type RunningServer, runningFolder, runningServer } from './running.ts';
export * from './values.ts';
