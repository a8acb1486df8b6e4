import {
  type FireParams,
  type Fired,
  type ScheduleRecord,
  type ScheduleStatus,
  TICK_AHEAD_MS,
  isFinished,
} from '@millrace/engine';
import type { Transaction } from './data.ts';
import { enqueueOne } from './enqueue.ts';

/** Schedules that are not among those given stay: another replica may know them. */
export function syncSchedules(
  tx: Transaction,
  records: readonly ScheduleRecord[],
): ScheduleStatus[] {
  return records.map(({ name, cron, timeZone, kind }) => {
    const before = tx.data.schedules.get(name);
    // Under another plan the ticks since the last one never were: it counts from now, like a new schedule.
    const samePlan = before?.cron === cron && before.timeZone === timeZone;
    const status = {
      name,
      cron,
      timeZone,
      kind,
      lastTick: samePlan ? before.lastTick : tx.now,
      lastJob: before?.lastJob ?? null,
    };
    tx.data.schedules.set(name, status);
    return status;
  });
}

export function schedules(tx: Transaction): ScheduleStatus[] {
  return [...tx.data.schedules.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The tick is taken by moving `lastTick` forward, which only the first can do. */
export function fire(
  tx: Transaction,
  { schedule: name, tick, job, skipOverlap }: FireParams,
): Fired {
  const schedule = tx.data.schedules.get(name);
  if (schedule === undefined) return { type: 'unknown' };
  const { lastTick } = schedule;
  const isOfWrongClock = lastTick > tx.now + TICK_AHEAD_MS && tick <= tx.now;
  if (tick <= lastTick && !isOfWrongClock) return { type: 'taken' };
  const taken = { ...schedule, lastTick: tick };
  tx.data.schedules.set(name, taken);
  if (job === null) return { type: 'passed' };

  const previous = tx.data.jobs.get(schedule.lastJob ?? '');
  if (skipOverlap && previous !== undefined && !isFinished(previous.state))
    return { type: 'overlap', id: previous.id };
  const { id } = enqueueOne(tx, job);
  tx.data.schedules.set(name, { ...taken, lastJob: id });
  return { type: 'fired', id };
}
