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
  const nextTicks = schedules.map(createNextTick);
  let isUnderWay = false;

  /**
   * Nothing happens before the next moment that is known: no job runs or could, no tick is due that nobody has taken, and no call is
   * under way. A worker looks at its schedules some microseconds after a tick: were it sent to rest before that, it would find two ticks
   * at once the next time, and make one job of them.
   */
  function isResting(): boolean {
    if (!processes.isQuiet() || runs.isOneOpen()) return false;
    const { due, running } = peek.outlook();
    return due + running === 0 && nextTick() > start + time.now();
  }

  /** In virtual time. */
  function nextMoment(): number {
    return Math.min(peek.outlook().nextAt ?? Infinity, nextTick()) - start;
  }

  /** By the store's clock: the first tick that nobody has taken, or now where a schedule is not declared yet. */
  function nextTick(): number {
    return Math.min(Infinity, ...nextTicks.map((tickOf) => tickOf()));
  }

  function createNextTick({ name, cron, timeZone = 'UTC' }: Schedule): () => number {
    let [taken, tick] = [NaN, Infinity];
    return () => {
      const lastTick = peek.lastTick(name);
      if (lastTick === null) return start + time.now();
      if (lastTick !== taken)
        [taken, tick] = [
          lastTick,
          ticksBetween(cron, timeZone, lastTick, lastTick).next ?? Infinity,
        ];
      return tick;
    };
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

  /** Work that was begun at the last moment comes to its end: calls take some microseconds. */
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
