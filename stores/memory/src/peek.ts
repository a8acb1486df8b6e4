import type { Job } from '@millrace/engine';
import type { Data } from './data.ts';
import { oldestFirst, toJob } from './rows.ts';

/** A look at the data without a store's promise: tests assert on it, and time is moved by it. */
export interface Peek {
  /** All there are, oldest first. */
  jobs(): Job[];
  outlook(): Outlook;
  /** The tick up to which a schedule's ticks were taken; null: no worker has declared it yet. */
  lastTick(schedule: string): number | null;
}

export interface Outlook {
  /** Jobs that could run now. */
  readonly due: number;
  /** Jobs that wait for their moment. */
  readonly scheduled: number;
  readonly running: number;
  /** The next moment at which a job becomes due or a gate closes; null where there is none. */
  readonly nextAt: number | null;
}

export function createPeek(data: Data, now: () => number): Peek {
  return {
    lastTick: (schedule) => data.schedules.get(schedule)?.lastTick ?? null,
    jobs: () => oldestFirst(data.jobs.values()).map((row) => toJob(data, row)),
    outlook() {
      const moment = now();
      let [due, scheduled, running, nextAt] = [0, 0, 0, Infinity];
      for (const { runAt } of data.queued.values()) {
        if (runAt <= moment) due += 1;
        else {
          scheduled += 1;
          nextAt = Math.min(nextAt, runAt);
        }
      }
      for (const _ of data.leases.values()) running += 1;
      // A gate is closed when its time is over, not at its last moment.
      for (const { expiresAt } of data.gates.values())
        if (expiresAt >= moment) nextAt = Math.min(nextAt, expiresAt + 1);
      return { due, scheduled, running, nextAt: nextAt === Infinity ? null : nextAt };
    },
  };
}
