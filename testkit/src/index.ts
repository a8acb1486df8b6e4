// For people who test their jobs.
export type { Break, StoreCall } from './queue/breaks.ts';
export { TestQueueError, type TestQueueErrorCode } from './queue/errors.ts';
export type { TestQueueOptions } from './queue/options.ts';
export { type RunJobOptions, runJob } from './queue/run-job.ts';
export type { Child, JobRun, RunFailure, RunLine, RunOutcome } from './queue/runs.ts';
export { type TestEnqueueOptions, type TestQueue, createTestQueue } from './queue/test-queue.ts';
export type { TestJob } from './queue/views.ts';

// For those who test the engine and its stores.
export { createFaultyStore } from './world/faulty-store.ts';
export { INVARIANTS, type Invariant, type Violation } from './observe/invariants.ts';
export {
  type FaultCounts,
  type FaultRates,
  type Link,
  createFaultCounts,
  createLink,
} from './world/link.ts';
export { type Dice, createDice } from './random.ts';
export { type SimulationResult, simulate } from './simulation.ts';
export {
  Livelock,
  type ProcessClock,
  type Skew,
  type VirtualTime,
  createVirtualTime,
} from './time/virtual-clock.ts';
export type { Sabotage } from './world/world.ts';
