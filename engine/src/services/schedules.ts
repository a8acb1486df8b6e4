import { type FieldTable, either, fieldsOf } from '../kinds/definition.ts';
import { StoreUnavailable } from '../errors.ts';
import type { Events } from '../events.ts';
import type { JobId } from '../job.ts';
import { checkText } from '../values/json.ts';
import { type Store } from '../port.ts';
import {
  type Fired,
  type SchedulePart,
  type ScheduleRecord,
  type ScheduleStatus,
  TICK_AHEAD_MS,
} from '../port-parts.ts';
import type { Registry } from '../kinds/registry.ts';
import { newJob } from '../queue/new-job.ts';
import { type JobRequest, REQUEST_FIELDS } from '../request.ts';
import type { Service } from './service.ts';
import { parseCron } from '../time/window.ts';

/**
 * A cron schedule. Its ticks are computed in its own time zone from the store's clock and taken by one
 * replica each, by compare-and-set on the last tick.
 *
 * When the clocks of the zone change, for daylight saving or for any other reason:
 *
 * - An expression that names every hour (`*`, or `0-23`) is a rhythm. It runs whenever the clock shows one of
 *   its times: in an hour that comes twice, both times; in one that is left out, not at all. Where the clocks
 *   move by whole hours, a rhythm so keeps its distances in real time.
 * - Any other (one hour, a list, a range, every second hour) names local times, and each of them runs once. One
 *   that comes twice runs the first time. One that is left out runs at the moment the clocks move to, even if
 *   that is on the next day. Several that are left out run once together, and together with one that is due
 *   at that moment, because a tick is a moment.
 *
 * Only the hours decide which of the two it is. Seconds and minutes, days (`L`, `W`, `#` too), months and years
 * choose among the local times.
 */
export interface Schedule {
  readonly name: string;
  readonly cron: string;
  /** IANA name; UTC by default. */
  readonly timeZone?: string;
  readonly job: Omit<JobRequest, 'runAt' | 'delay'>;
  /** Data for the job of a tick, in place of `job.data`: one that was missed is about its own day, not about the day it is made up for. */
  readonly dataAt?: (tick: number) => unknown;
  /**
   * Ticks that nobody was there to take: run the last one (default), none, or each of them. `all` with `overlap: 'skip'` runs them one
   * after the other, however many they are; with `overlap: 'allow'` at once, and then the latest `CATCH_UP_LIMIT` (100) of them.
   */
  readonly missed?: 'last' | 'skip' | 'all';
  /**
   * While the previous run is alive: pass the tick over (default) or run beside it. With `missed: 'all'` a tick that was missed waits for
   * the previous run, and so does one that is due while those are made up for.
   */
  readonly overlap?: 'skip' | 'allow';
}

/** Declared once, or as they are at each look: schedules of files that change while the process runs. */
export type Schedules = readonly Schedule[] | (() => readonly Schedule[]);

export function schedulesNow(schedules: Schedules): readonly Schedule[] {
  return typeof schedules === 'function' ? schedules() : schedules;
}

/** A tick older than this when it is found was missed. */
const MISSED_AFTER_MS = 60_000;
const AT_MOST_MS = 60_000;
/**
 * With `missed: 'all'` and `overlap: 'allow'`, no more than so many of the latest: a typo must not flood the queue. What is left out is
 * reported (`schedule.passed`, why `limit`).
 */
const CATCH_UP_LIMIT = 100;
/** So long after a look that found the previous run alive, a tick that waits for its end is tried again. */
const TURN_MS = 10_000;

/** Checks a schedule as far as that needs no registry, so that the error points to where it was written. */
export function defineSchedule(schedule: Schedule): Schedule {
  const { name, cron, timeZone = 'UTC', missed = 'last', overlap = 'skip' } = schedule;
  checkText(name, 'name of a schedule', 255);
  const fields = fieldsOf(`The schedule "${name}"`);
  fields.known(schedule, FIELDS);
  const { job } = schedule;
  fields.require(
    'job',
    typeof job === 'object' && job !== null,
    'a kind and its data, such as { kind: "report", data: {} }',
  );
  fields.known(job, JOB_FIELDS, 'job');
  fields.read('cron', () => parseCron(cron, timeZone));
  fields.require('missed', MISSED.includes(missed), either(MISSED));
  fields.require('overlap', OVERLAP.includes(overlap), either(OVERLAP));
  return schedule;
}

const FIELDS: FieldTable<Schedule> = {
  name: true,
  cron: true,
  timeZone: true,
  job: true,
  dataAt: true,
  missed: true,
  overlap: true,
};
// A schedule has its own moments.
const { runAt: _runAt, delay: _delay, ...JOB_FIELDS } = REQUEST_FIELDS;
const MISSED: readonly NonNullable<Schedule['missed']>[] = ['last', 'skip', 'all'];
const OVERLAP: readonly NonNullable<Schedule['overlap']>[] = ['skip', 'allow'];

/** Checks a schedule against the registry: its kind must be known and accept its data, or every tick would fail. */
export function checkSchedule(registry: Registry, schedule: Schedule): Schedule {
  defineSchedule(schedule);
  fieldsOf(`The schedule "${schedule.name}"`).read('job', () =>
    newJob(registry, schedule.job, null),
  );
  return schedule;
}

function requestAt({ job, dataAt }: Schedule, tick: number): Schedule['job'] {
  return dataAt === undefined ? job : { ...job, data: dataAt(tick) };
}

/** Someone wants it now: its job is made as a tick would, unless the last one still runs and it is not to run beside it. */
export function fireNow(
  part: Pick<SchedulePart, 'fire'>,
  registry: Registry,
  schedule: Schedule,
  who: Pick<JobRequest, 'submitter' | 'correlationId'>,
): Promise<Fired> {
  return part.fire({
    schedule: schedule.name,
    tick: null,
    job: {
      ...newJob(registry, { ...schedule.job, ...who }, null),
      schedule: schedule.name,
    },
    skipOverlap: (schedule.overlap ?? 'skip') === 'skip',
  });
}

export function createScheduler(params: {
  store: Store;
  part: SchedulePart;
  registry: Registry;
  schedules: Schedules;
  events: Events;
}): Service {
  const { store, part, registry, events } = params;
  /** As this process last wrote them down. */
  const declared = new Map<string, ScheduleRecord>();
  /** By the store's clock. */
  let lookedAt = Infinity;

  /**
   * Written down at the start, when one has come or changed here, and again when the store has lost one: in a fail-over that
   * lost commits, or by hand. One that another replica has written down otherwise is left as it is: of two versions that run
   * side by side during a deployment, each would have the schedule begin again at every tick, and so take it from both.
   */
  async function statuses(schedules: readonly Schedule[]): Promise<ScheduleStatus[]> {
    const known = await part.all();
    const names = new Set(known.map(({ name }) => name));
    const news = schedules
      .map(recordOf)
      .filter((record) => !names.has(record.name) || !isSame(record, declared.get(record.name)));
    if (news.length === 0) return known;
    const all = await part.sync({ schedules: news });
    for (const record of news) declared.set(record.name, record);
    return all;
  }

  /** Takes one tick, with its job unless it is only passed over, and reports what became of it. */
  async function take(
    schedule: Schedule,
    tick: number,
    how: { readonly run: boolean; readonly keepOverlap?: boolean },
  ): Promise<Fired> {
    const { name, overlap = 'skip' } = schedule;
    const { run, keepOverlap = false } = how;
    const job = run
      ? { ...newJob(registry, requestAt(schedule, tick), null), schedule: name }
      : null;
    const skipOverlap = overlap === 'skip';
    const fired = await part.fire({ schedule: name, tick, job, skipOverlap, keepOverlap });
    if (fired.type === 'fired')
      events.emit('schedule.fired', { schedule: name, tick, id: fired.id });
    if (fired.type === 'passed')
      events.emit('schedule.passed', { schedule: name, tick, why: 'missed' });
    if (fired.type === 'overlap' && !keepOverlap)
      events.emit('schedule.passed', { schedule: name, tick, why: 'overlap' });
    if (fired.type === 'paused')
      events.emit('schedule.passed', { schedule: name, tick, why: 'paused' });
    return fired;
  }

  /** Fires what is due, and gives the moment to look again; null: there is none. */
  async function fireDue(
    schedule: Schedule,
    lastTick: number,
    now: number,
  ): Promise<number | null> {
    const { name, cron, timeZone = 'UTC', missed = 'last', overlap = 'skip' } = schedule;
    if (missed === 'all' && overlap === 'skip') return fireInTurn(schedule, lastTick, now);
    const { due, next, leftOut } = ticksBetween(cron, timeZone, lastTick, now);
    if (missed === 'all' && leftOut !== undefined)
      events.emit('schedule.passed', { schedule: name, tick: leftOut, why: 'limit' });
    for (const { tick, run } of choose(due, now, missed)) await take(schedule, tick, { run });
    return next;
  }

  /**
   * Each tick has its run, one after the other: the oldest first, and the next when that has ended. A tick that is due in time while
   * the run of another that was in time is alive is passed over, as `overlap: skip` says.
   */
  async function fireInTurn(
    schedule: Schedule,
    lastTick: number,
    now: number,
  ): Promise<number | null> {
    const { cron, timeZone = 'UTC' } = schedule;
    const after = ticksAfter(cron, timeZone);
    let taken = lastTick;
    let tick = after(taken);
    for (; tick !== null && tick <= now; tick = after(taken)) {
      const fired = await take(schedule, tick, { run: true, keepOverlap: true });
      if (fired.type === 'overlap') {
        if (now - tick > MISSED_AFTER_MS || (await isMadeUpFor(fired.id, taken)))
          return now + TURN_MS;
        await part.fire({ schedule: schedule.name, tick, job: null, skipOverlap: true });
        events.emit('schedule.passed', { schedule: schedule.name, tick, why: 'overlap' });
      }
      // All that are due are passed over with the last of them: a schedule of every second may have been paused for a year.
      if (fired.type === 'paused') {
        const { due, next } = ticksBetween(cron, timeZone, tick, now);
        const last = due.at(-1);
        if (last !== undefined) await take(schedule, last, { run: true, keepOverlap: true });
        return next;
      }
      // Another replica is at it, or the store has lost the schedule: the next look begins from what the store says then.
      if (fired.type === 'taken' || fired.type === 'unknown') return now + TURN_MS;
      taken = tick;
    }
    return tick;
  }

  /** Whether the job was made later than the tick that it is for, as one that was missed is. */
  async function isMadeUpFor(id: JobId, tick: number): Promise<boolean> {
    const job = await store.get({ id });
    return job !== null && job.createdAt - tick > MISSED_AFTER_MS;
  }

  /**
   * Fires one schedule. An error is reported and goes no further: one that the store refuses must not keep the others
   * from their ticks.
   */
  async function tryToFire(
    schedule: Schedule,
    lastTick: number,
    now: number,
  ): Promise<number | null> {
    try {
      return await fireDue(schedule, lastTick, now);
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      events.emit('store.failed', { during: `schedule ${schedule.name}`, error });
      return null;
    }
  }

  return {
    name: 'schedules',
    async runOnce() {
      const schedules = schedulesNow(params.schedules);
      const known = new Map((await statuses(schedules)).map((status) => [status.name, status]));
      const now = await store.now();
      const before = Math.min(lookedAt, now);
      let nextMs = AT_MOST_MS;
      for (const schedule of schedules) {
        const taken = known.get(schedule.name)?.lastTick ?? now;
        // The store's clock was ahead for a while: what comes after the last look is due again.
        const lastTick = taken > now + TICK_AHEAD_MS ? before : taken;
        const next = await tryToFire(schedule, lastTick, now);
        if (next !== null) nextMs = Math.min(nextMs, next - now);
      }
      lookedAt = now;
      return { nextMs: Math.max(nextMs, 1) };
    },
  };
}

function recordOf({ name, cron, timeZone, job }: Schedule): ScheduleRecord {
  return { name, cron, timeZone: timeZone ?? 'UTC', kind: job.kind };
}

function isSame(record: ScheduleRecord, known: ScheduleRecord | undefined): boolean {
  return (
    known !== undefined &&
    known.cron === record.cron &&
    known.timeZone === record.timeZone &&
    known.kind === record.kind
  );
}

/** Looking back in widening steps: a schedule of every second that slept for a year is not counted through. */
const LOOK_BACK = { firstMs: 2 * 60_000, factor: 6 };

function ticksAfter(cron: string, timeZone: string): (moment: number) => number | null {
  const parsed = parseCron(cron, timeZone);
  return (moment) => parsed.nextRun(new Date(moment))?.getTime() ?? null;
}

/**
 * Ticks after `lastTick` up to `now`, and the first after `now`. If there are many, the latest ones, and with them the first of those
 * that are left out.
 */
export function ticksBetween(
  cron: string,
  timeZone: string,
  lastTick: number,
  now: number,
): { due: number[]; next: number | null; leftOut?: number } {
  const after = ticksAfter(cron, timeZone);
  for (let lookBack = LOOK_BACK.firstMs; ; lookBack *= LOOK_BACK.factor) {
    const from = Math.max(lastTick, now - lookBack);
    const due: number[] = [];
    let tick = after(from);
    for (; tick !== null && tick <= now; tick = after(tick)) due.push(tick);
    if (from !== lastTick && due.length < CATCH_UP_LIMIT) continue;
    const latest = due.slice(-CATCH_UP_LIMIT);
    const oldest = after(lastTick);
    const isCut = oldest !== null && oldest < (latest[0] ?? oldest);
    return { due: latest, next: tick, ...(isCut && { leftOut: oldest }) };
  }
}

function choose(
  due: readonly number[],
  now: number,
  missed: NonNullable<Schedule['missed']>,
): { tick: number; run: boolean }[] {
  const last = due.at(-1);
  if (last === undefined) return [];
  if (missed === 'all') return due.map((tick) => ({ tick, run: true }));
  return [{ tick: last, run: missed === 'last' || now - last <= MISSED_AFTER_MS }];
}
