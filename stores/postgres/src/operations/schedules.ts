import {
  type FireParams,
  type Fired,
  type HeldBy,
  type ScheduleRecord,
  type ScheduleStatus,
  TICK_AHEAD_MS,
} from '@millrace/engine';
import { type Statement, texts } from '../database.ts';
import type { Context } from './context.ts';
import { insertJobs } from './enqueue.ts';

// A new schedule starts counting now, and so does one whose ticks mean something else now.
// $1 name[] $2 cron[] $3 time zone[] $4 kind[]
const SYNC: Statement = {
  name: 'millrace_sync_schedules',
  text: `
INSERT INTO millrace.schedules AS s (name, cron, time_zone, kind, last_tick)
SELECT u.name, u.cron, u.time_zone, u.kind, millrace.clock()
  FROM unnest($1::text::text[], $2::text::text[], $3::text::text[], $4::text::text[]) AS u(name, cron, time_zone, kind)
 ORDER BY u.name
ON CONFLICT (name) DO UPDATE
   SET cron = excluded.cron, time_zone = excluded.time_zone, kind = excluded.kind,
       last_tick = CASE WHEN (s.cron, s.time_zone) = (excluded.cron, excluded.time_zone) THEN s.last_tick ELSE excluded.last_tick END`,
};

const LIST: Statement = {
  name: 'millrace_schedules',
  text: `
SELECT name, cron, time_zone, kind, date_part('epoch', last_tick) * 1000 AS last_tick, last_job,
       date_part('epoch', paused_at) * 1000 AS paused_at, paused_by, paused_reason
  FROM millrace.schedules ORDER BY name`,
};

// A tick that was taken while the clock was ahead, by an hour say, would otherwise keep the schedule from running for that hour. A tick that
// is due by the store's `now` is due here: `now` is rounded to a millisecond, up to half of one ahead of the clock.
const IS_FREE = `(last_tick < to_timestamp($2::float8 / 1000)
    OR last_tick > millrace.clock() + interval '${TICK_AHEAD_MS} milliseconds' AND to_timestamp($2::float8 / 1000) <= millrace.clock() + interval '1 millisecond')`;

// The row's lock makes replicas take turns; the second finds the tick taken. $1 name $2 tick, ms
const TAKE_TICK: Statement = {
  name: 'millrace_take_tick',
  text: `
UPDATE millrace.schedules SET last_tick = to_timestamp($2::float8 / 1000)
 WHERE name = $1 AND ${IS_FREE}
RETURNING last_job, EXISTS (SELECT FROM millrace.jobs j WHERE j.seq = last_job AND j.state = 'QUEUED') AS alive,
          paused_at IS NOT NULL AS paused`,
};

// Whether the tick has to wait: it is free, and the previous job is alive. Locks the row as the taking does. $1 name $2 tick, ms
const HAS_TO_WAIT: Statement = {
  name: 'millrace_tick_has_to_wait',
  text: `
SELECT last_job FROM millrace.schedules
 WHERE name = $1 AND paused_at IS NULL AND ${IS_FREE}
   AND EXISTS (SELECT FROM millrace.jobs j WHERE j.seq = last_job AND j.state = 'QUEUED')
   FOR UPDATE`,
};

// The same for someone who wants it now: no tick is taken, and a pause does not matter. $1 name
const TAKE_NOW: Statement = {
  name: 'millrace_take_now',
  text: `
SELECT last_job, EXISTS (SELECT FROM millrace.jobs j WHERE j.seq = last_job AND j.state = 'QUEUED') AS alive, false AS paused
  FROM millrace.schedules WHERE name = $1 FOR UPDATE`,
};

// $1 name $2 who $3 why
const PAUSE: Statement = {
  name: 'millrace_pause_schedule',
  text: `UPDATE millrace.schedules SET paused_at = millrace.clock(), paused_by = $2, paused_reason = $3 WHERE name = $1 AND paused_at IS NULL RETURNING name`,
};
const RESUME: Statement = {
  name: 'millrace_resume_schedule',
  text: `UPDATE millrace.schedules SET paused_at = NULL, paused_by = NULL, paused_reason = NULL WHERE name = $1 AND paused_at IS NOT NULL RETURNING name`,
};

// $1 name
const REMOVE: Statement = {
  name: 'millrace_remove_schedule',
  text: `DELETE FROM millrace.schedules WHERE name = $1 RETURNING name`,
};

// $1 name
const IS_KNOWN: Statement = {
  name: 'millrace_is_schedule_known',
  text: `SELECT FROM millrace.schedules WHERE name = $1`,
};

// $1 name $2 seq
const SET_LAST_JOB: Statement = {
  name: 'millrace_set_last_job',
  text: `UPDATE millrace.schedules SET last_job = $2 WHERE name = $1`,
};

export async function syncSchedules(
  context: Context,
  { schedules: records }: { schedules: readonly ScheduleRecord[] },
): Promise<ScheduleStatus[]> {
  await context.database.query(SYNC, [
    texts(records.map((record) => record.name)),
    texts(records.map((record) => record.cron)),
    texts(records.map((record) => record.timeZone)),
    texts(records.map((record) => record.kind)),
  ]);
  return schedules(context);
}

export async function schedules({ database, ids }: Context): Promise<ScheduleStatus[]> {
  const rows = await database.query<{
    name: string;
    cron: string;
    time_zone: string;
    kind: string;
    last_tick: number;
    last_job: number | null;
    paused_at: number | null;
    paused_by: string | null;
    paused_reason: string | null;
  }>(LIST, []);
  return rows.map((row) => ({
    name: row.name,
    cron: row.cron,
    timeZone: row.time_zone,
    kind: row.kind,
    lastTick: Math.round(row.last_tick),
    lastJob: row.last_job === null ? null : ids.of(row.last_job),
    paused:
      row.paused_at === null
        ? null
        : { since: Math.round(row.paused_at), by: row.paused_by, reason: row.paused_reason },
  }));
}

type Taken = { last_job: number | null; alive: boolean; paused: boolean };

export async function fire(
  { database, ids, tally }: Context,
  { schedule, tick, job, skipOverlap, keepOverlap = false }: FireParams,
): Promise<Fired> {
  return database.transaction(async (session) => {
    if (tick !== null && job !== null && skipOverlap && keepOverlap) {
      const [previous] = await session.query<{ last_job: number }>(HAS_TO_WAIT, [schedule, tick]);
      if (previous !== undefined) return { type: 'overlap', id: ids.of(previous.last_job) };
    }
    const [taken] = await session.query<Taken>(
      tick === null ? TAKE_NOW : TAKE_TICK,
      tick === null ? [schedule] : [schedule, tick],
    );
    if (taken === undefined) {
      const known = await session.query(IS_KNOWN, [schedule]);
      return { type: known.length === 0 ? 'unknown' : 'taken' };
    }
    if (taken.paused) return { type: 'paused' };
    if (job === null) return { type: 'passed' };
    if (skipOverlap && taken.alive && taken.last_job !== null)
      return { type: 'overlap', id: ids.of(taken.last_job) };
    const [seq] = await insertJobs({ tally }, session, [job]);
    if (seq === undefined) return { type: 'passed' };
    await session.query(SET_LAST_JOB, [schedule, seq]);
    return { type: 'fired', id: ids.of(seq) };
  });
}

export async function pauseSchedule(
  { database }: Context,
  { name, by, reason = null }: { name: string } & HeldBy,
): Promise<boolean> {
  return (await database.query(PAUSE, [name, by, reason])).length > 0;
}

export async function resumeSchedule(
  { database }: Context,
  { name }: { name: string },
): Promise<boolean> {
  return (await database.query(RESUME, [name])).length > 0;
}

export async function removeSchedule(
  { database }: Context,
  { name }: { name: string },
): Promise<boolean> {
  return (await database.query(REMOVE, [name])).length > 0;
}
