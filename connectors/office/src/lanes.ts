/**
 * Who is next. Two queues, first come first served within each:
 *
 * - batch leaves one slot free wherever there are two or more, so an interactive document never waits for
 *   a batch document to end, nor stands behind one in a queue;
 * - where both wait, every fifth start is batch's, so a stream of interactive work does not starve it.
 *
 * With one slot an interactive document still waits for the one that is running.
 */
export type Lane = 'interactive' | 'batch';

export interface Lanes<Job> {
  push(lane: Lane, job: Job): void;
  /** Takes the next job that may start while `batchRunning` batch jobs run. */
  next(batchRunning: number): Job | null;
  /** False when it is not waiting any more. */
  remove(job: Job): boolean;
  waiting(lane: Lane): number;
  /** Takes everything that waits. */
  drain(): Job[];
}

/** Interactive starts in a row while batch waits. */
const INTERACTIVE_TURNS = 4;

export function createLanes<Job>(slots: number): Lanes<Job> {
  // Sets keep the order of arrival and give up any member at once, also with thousands waiting.
  const queues = { interactive: new Set<Job>(), batch: new Set<Job>() };
  const batchLimit = Math.max(1, slots - 1);
  let turns = 0;

  function take(lane: Lane): Job | null {
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
