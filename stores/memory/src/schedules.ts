import {
  type FireParams,
  type Fired,
  type HeldBy,
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
    // With a changed cron or time zone, ticks since the last one were never planned: the schedule counts from now,
    // like a new one.
    const samePlan = before?.cron === cron && before.timeZone === timeZone;
    const status = {
      name,
      cron,
      timeZone,
      kind,
      lastTick: samePlan ? before.lastTick : tx.now,
      lastJob: before?.lastJob ?? null,
      paused: before?.paused ?? null,
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
  { schedule: name, tick, job, skipOverlap, keepOverlap = false }: FireParams,
): Fired {
  const schedule = tx.data.schedules.get(name);
  if (schedule === undefined) return { type: 'unknown' };
  if (tick !== null && !isFree(tx, schedule, tick)) return { type: 'taken' };
  const previous = tx.data.jobs.get(schedule.lastJob ?? '');
  const alive = previous !== undefined && !isFinished(previous.state) ? previous.id : null;
  const isPaused = tick !== null && schedule.paused !== null;
  const overlaps = skipOverlap && job !== null && !isPaused && alive !== null;
  if (overlaps && keepOverlap) return { type: 'overlap', id: alive };
  const taken = { ...schedule, lastTick: tick ?? schedule.lastTick };
  tx.data.schedules.set(name, taken);
  if (isPaused) return { type: 'paused' };
  if (job === null) return { type: 'passed' };
  if (overlaps) return { type: 'overlap', id: alive };
  const { id } = enqueueOne(tx, job);
  tx.data.schedules.set(name, { ...taken, lastJob: id });
  return { type: 'fired', id };
}

function isFree(tx: Transaction, { lastTick }: ScheduleStatus, tick: number): boolean {
  const isOfWrongClock = lastTick > tx.now + TICK_AHEAD_MS && tick <= tx.now;
  return tick > lastTick || isOfWrongClock;
}

export function pauseSchedule(
  tx: Transaction,
  { name, by, reason = null }: { name: string } & HeldBy,
): boolean {
  const schedule = tx.data.schedules.get(name);
  if (schedule === undefined || schedule.paused !== null) return false;
  tx.data.schedules.set(name, { ...schedule, paused: { since: tx.now, by, reason } });
  return true;
}

export function resumeSchedule(tx: Transaction, name: string): boolean {
  const schedule = tx.data.schedules.get(name);
  if (schedule === undefined || schedule.paused === null) return false;
  tx.data.schedules.set(name, { ...schedule, paused: null });
  return true;
}

export function removeSchedule(tx: Transaction, name: string): boolean {
  const isKnown = tx.data.schedules.get(name) !== undefined;
  tx.data.schedules.delete(name);
  return isKnown;
}
