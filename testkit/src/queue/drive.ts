import { type Schedule, ticksBetween } from '@millrace/engine';
import type { Peek } from '@millrace/store-memory';
import type { VirtualTime } from '../time/virtual-clock.ts';
import { TestQueueError } from './errors.ts';
import type { Processes } from './processes.ts';
import type { Runs } from './runs.ts';

/** Lets virtual time pass. Nothing happens to a job anywhere else. */
export interface Drive {
  /** Until something is so, asked at every moment at which anything happens, or until that moment of virtual time. */
  until(isOver: () => boolean, limit: number): Promise<void>;
}

/** However much there is to do at the last moment, it is no more than this. */
const AFTER_MS = 1_000;

export function createDrive(params: {
  readonly time: VirtualTime;
  readonly peek: Peek;
  readonly processes: Processes;
  readonly runs: Runs;
  readonly schedules: readonly Schedule[];
  /** The store's clock at the beginning of virtual time. */
  readonly start: number;
}): Drive {
  const { time, peek, processes, runs, schedules, start } = params;
  let isUnderWay = false;

  /** Nothing happens before the next moment that is known: no job runs or could, and no call is under way. */
  function isResting(): boolean {
    if (!processes.isQuiet() || runs.isOneOpen()) return false;
    const { due, running } = peek.outlook();
    return due + running === 0;
  }

  /** In virtual time. */
  function nextMoment(): number {
    const now = start + Math.floor(time.now());
    const ticks = schedules.map(
      ({ cron, timeZone = 'UTC' }) => ticksBetween(cron, timeZone, now, now).next ?? Infinity,
    );
    return Math.min(peek.outlook().nextAt ?? Infinity, ...ticks) - start;
  }

  /**
   * Workers that have nothing to do look at the clock every second: a day of that is 200,000 timers. They stand still
   * until the moment that is known, as a process that the machine has stopped, and nobody misses them.
   */
  async function skip(limit: number): Promise<void> {
    const moment = Math.min(nextMoment(), limit);
    processes.rest();
    while (time.now() < moment && isResting()) await time.run(Math.min(moment, next()));
    processes.wake();
  }

  function next(): number {
    return time.nextAt() ?? Infinity;
  }

  /** What was begun at the last moment comes to its end: calls take some microseconds. */
  function isUnfinished(limit: number): boolean {
    const now = time.now();
    return now < limit + AFTER_MS && next() - now < 1 && !isResting();
  }

  async function run(isOver: () => boolean, limit: number): Promise<void> {
    processes.ensure();
    for (;;) {
      await time.run(time.now());
      if (isOver()) return;
      if (time.now() < limit) {
        if (isResting()) await skip(limit);
        else await time.run(Math.min(next(), limit));
      } else if (isUnfinished(limit)) await time.run(next());
      else return;
    }
  }

  return {
    async until(isOver, limit) {
      if (isUnderWay)
        throw new TestQueueError(
          'under_way',
          'This queue runs already. Await drain, advance and runJob one after the other, and not in a handler.',
        );
      isUnderWay = true;
      try {
        await run(isOver, limit);
      } finally {
        isUnderWay = false;
      }
    },
  };
}
