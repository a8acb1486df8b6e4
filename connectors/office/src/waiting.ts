import type { Job } from './job.ts';
import { createLanes } from './lanes.ts';

/** The documents that no process has yet: new ones in their lanes, and those whose process died with them. */
export interface Waiting {
  push(job: Job): void;
  /** The process that had it died, of it or only with it: it is tried once more in a new process, which tells. */
  pushRetry(job: Job): void;
  /** Takes the next for a process. `isNew`: the process has converted nothing yet. */
  next(params: { isNew: boolean; batchRunning: number }): Job | null;
  remove(job: Job): void;
  /** Takes everything that waits. */
  drain(): Job[];
  size(): number;
  /** How many wait for a new process. */
  retries(): number;
}

export function createWaiting(slots: number): Waiting {
  const lanes = createLanes<Job>(slots);
  const retries = new Set<Job>();

  function takeRetry(): Job | null {
    for (const job of retries) {
      retries.delete(job);
      return job;
    }
    return null;
  }

  return {
    push: (job) => lanes.push(job.lane, job),
    pushRetry: (job) => void retries.add(job),
    next: ({ isNew, batchRunning }) => (isNew ? takeRetry() : null) ?? lanes.next(batchRunning),
    remove(job) {
      retries.delete(job);
      lanes.remove(job);
    },
    drain() {
      const jobs = [...retries, ...lanes.drain()];
      retries.clear();
      return jobs;
    },
    size: () => lanes.waiting('interactive') + lanes.waiting('batch') + retries.size,
    retries: () => retries.size,
  };
}
