export { type Clock, type Random, atMost, sleep } from './time/clock.ts';
export {
  WEBHOOK_KIND,
  checkRule,
  defineRule,
  dependantsOf,
  type FinishedParent,
  type Follower,
  type Gate,
  type Rule,
  type RuleBook,
} from './kinds/dependencies.ts';
export { type FieldTable, type Fields, fieldsOf } from './kinds/definition.ts';
export { type Decided, type Ended, decide } from './execution/decide.ts';
export * from './time/duration.ts';
export * from './errors.ts';
export * from './events.ts';
export { type EventLog, logEvents } from './log-events.ts';
export type { WriteLine } from './execution/log-lines.ts';
export type { Tracing } from './executor.ts';
export type { Explanation, Reason } from './queue/explain.ts';
export * from './values/failure.ts';
export {
  type Filter,
  PHASES,
  type Phase,
  STATE_OF_PHASE,
  fitsFilter,
  phaseOf,
  phasesOf,
} from './filter.ts';
export * from './job.ts';
export * from './values/json.ts';
export * from './kinds/kind.ts';
export { defer, done, type Effect, type Outcome } from './kinds/outcome.ts';
export type { PoolConfig } from './worker/pool-config.ts';
export * from './port-parts.ts';
export * from './port.ts';
export { type Crew, createCrew } from './worker/quarantine.ts';
export { type Seat, type SharedSlots, createSharedSlots } from './worker/shared-slots.ts';
export { INTERNAL_KEYS } from './queue/new-job.ts';
export * from './queue/queue.ts';
export * from './kinds/registry.ts';
export { type JobRequest, REQUEST_FIELDS } from './request.ts';
export * from './kinds/retry.ts';
export * from './scope.ts';
export {
  type Schedule,
  type Schedules,
  schedulesNow,
  checkSchedule,
  defineSchedule,
  fireNow,
  ticksBetween,
} from './services/schedules.ts';
export * from './states.ts';
export {
  refuseUnstorableCheckpoint,
  refuseUnstorableJob,
  refuseUnstorableOutcome,
} from './values/storable.ts';
export {
  type PoolStatus,
  SILENT_AFTER_MS,
  type TookOver,
  type Totals,
  type WorkerStatus,
} from './worker/status.ts';
export { type PauseWindow, nextTick, pausedUntil } from './time/window.ts';
export * from './within.ts';
export * from './wrap.ts';
export * from './worker/worker.ts';
