import { Worker } from 'node:worker_threads';
import { type SimulationResult, simulate } from './simulation.ts';

export interface SeedRange {
  readonly from: number;
  readonly count: number;
}

/** Simulates each seed and gives its result; over several threads in no particular order. */
export async function runSeeds(
  range: SeedRange,
  options: { threads: number; trace: boolean; onResult: (result: SimulationResult) => void },
): Promise<void> {
  const { threads, trace, onResult } = options;
  if (threads > 1 && range.count > 1) {
    const taken = new Int32Array(new SharedArrayBuffer(4));
    await Promise.all(
      Array.from({ length: threads }, () => runThread({ ...range, taken }, onResult)),
    );
    return;
  }
  for (let index = 0; index < range.count; index++)
    onResult(await simulate(range.from + index, { trace }));
}

function runThread(
  workerData: SeedRange & { taken: Int32Array },
  onResult: (result: SimulationResult) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // By the name it has once it is built: a thread is a program of its own, and Node runs no TypeScript.
    const thread = new Worker(new URL('./seed-thread.js', import.meta.url), { workerData });
    thread.on('message', onResult);
    thread.on('error', reject);
    thread.on('exit', () => resolve());
  });
}
