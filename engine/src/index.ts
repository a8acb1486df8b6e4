export * from './clock.ts';
export {
  WEBHOOK_KIND,
  checkRule,
  cleanupKindName,
  defineRule,
  dependantsOf,
  type FinishedParent,
  type Rule,
} from './dependencies.ts';
export { type Decided, type Ended, decide } from './decide.ts';
export * from './duration.ts';
export * from './errors.ts';
export * from './events.ts';
export type { Tracing } from './executor.ts';
export type { Explanation, Reason } from './explain.ts';
export * from './failure.ts';
export * from './job.ts';
export * from './json.ts';
export * from './kind.ts';
export { defer, done, type Effect, type Outcome } from './outcome.ts';
export type { PoolConfig } from './pool-config.ts';
export * from './port.ts';
export { type Crew, createCrew } from './quarantine.ts';
export * from './queue.ts';
export * from './registry.ts';
export type { JobRequest } from './request.ts';
export * from './retry.ts';
export * from './scope.ts';
export { type Schedule, checkSchedule, defineSchedule, ticksBetween } from './schedules.ts';
export * from './states.ts';
export {
  refuseUnstorableCheckpoint,
  refuseUnstorableJob,
  refuseUnstorableOutcome,
} from './storable.ts';
export type { Totals } from './statistics.ts';
export { type PauseWindow, nextTick, pausedUntil } from './window.ts';
export * from './within.ts';
export * from './worker.ts';
