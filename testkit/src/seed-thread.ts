import { parentPort, workerData } from 'node:worker_threads';
import type { SeedRange } from './seed-threads.ts';
import { simulate } from './simulation.ts';

// One thread: takes the next seed that nobody has taken, until there is none.

// Thousands of simulated failures, and nobody reads where they were thrown: a replay can tell.
Error.stackTraceLimit = 0;

const { from, count, taken } = workerData as SeedRange & { taken: Int32Array };
for (let index = Atomics.add(taken, 0, 1); index < count; index = Atomics.add(taken, 0, 1)) {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port, not a window
  parentPort?.postMessage(await simulate(from + index));
}
