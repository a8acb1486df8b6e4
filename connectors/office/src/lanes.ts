import type { Job } from './job.ts';

/**
 * The order in which documents start. Two queues, first come first served within each:
 *
 * - batch leaves one slot free wherever there are two or more, so an interactive document never waits for
 *   a batch document to end, nor stands behind one in a queue;
 * - where both wait, every fifth start is batch's, so a stream of interactive work does not starve it.
 *
 * With one slot an interactive document still waits for the one that is running.
 */
export type Lane = 'interactive' | 'batch';

interface Lanes<Each> {
  push(lane: Lane, job: Each): void;
  /** Takes the next job that may start while `batchRunning` batch jobs run. */
  next(batchRunning: number): Each | null;
  /** False when it is not waiting any more. */
  remove(job: Each): boolean;
  waiting(lane: Lane): number;
  /** Takes everything that waits. */
  drain(): Each[];
}

/** Interactive starts in a row while batch waits. */
const INTERACTIVE_TURNS = 4;

export function createLanes<Each>(slots: number): Lanes<Each> {
  // Sets keep the order of arrival and give up any member at once, also with thousands waiting.
  const queues = { interactive: new Set<Each>(), batch: new Set<Each>() };
  const batchLimit = Math.max(1, slots - 1);
  let turns = 0;

  function take(lane: Lane): Each | null {
    for (const job of queues[lane]) {
      queues[lane].delete(job);
      return job;
    }
    return null;
  }

  return {
    push(lane, job) {
      queues[lane].add(job);
    },
    next(batchRunning) {
      const batchMayStart = queues.batch.size > 0 && batchRunning < batchLimit;
      const batchIsDue = turns >= INTERACTIVE_TURNS || queues.interactive.size === 0;
      if (batchMayStart && batchIsDue) {
        turns = 0;
        return take('batch');
      }
      if (queues.interactive.size > 0) turns = queues.batch.size > 0 ? turns + 1 : 0;
      return take('interactive');
    },
    remove: (job) => queues.interactive.delete(job) || queues.batch.delete(job),
    waiting: (lane) => queues[lane].size,
    drain() {
      const jobs = [...queues.interactive, ...queues.batch];
      queues.interactive.clear();
      queues.batch.clear();
      return jobs;
    },
  };
}

/** The documents that no process has yet: new ones in their lanes, and those whose process died with them. */
interface Waiting {
  push(job: Job): void;
  /** The process that had it died, of it or only with it: a second try in a new process shows which. */
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
