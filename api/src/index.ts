export * from './client.ts';
export * from './contract.ts';
export * from './contracts.ts';
export * from './errors.ts';
export * from './job.ts';
export { nearest } from './nearest.ts';
export * from './problem.ts';
export {
  type Enqueued,
  type JobRequest,
  MAX_BATCH,
  enqueued,
  jobRequest,
} from './routes/enqueue.ts';
export type { Check } from './routes/health.ts';
export { type JobFilter, MAX_PAGE, jobFilter } from './routes/jobs.ts';
export type { Kind } from './routes/kinds.ts';
export type { Replica } from './routes/worker.ts';
export * from './values.ts';
