import { Worker } from 'node:worker_threads';

/** A thread that may take so much memory and no more: what a hostile file can end is the thread. */
export function startLimitedThread(script: URL, workerData: unknown, memoryMb: number): Worker {
  const worker = new Worker(script, {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    // The thread gets no environment: it needs no secret of the service, and has nothing to say to its log.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
