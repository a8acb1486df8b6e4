import type { Client } from '@millrace/api';
import type { Screen } from '../terminal/screen.ts';
import { fieldLines } from './fields.ts';
import { relative } from './time.ts';

export type Schedule = Awaited<ReturnType<Client['listSchedules']>>['schedules'][number];

/** When its last job was created, not its last tick: a new schedule has processed all ticks up to now, and has created no job. */
export function last({ lastJob, lastJobAt, lastTick }: Schedule, now: number): string {
  return lastJob === null ? 'never' : relative(lastJobAt ?? lastTick, now);
}

export function next({ declared, paused, nextTick }: Schedule, now: number): string {
  if (!declared) return 'not declared by any file here';
  if (paused !== null) return `paused ${relative(paused.since, now)}`;
  return nextTick === null ? 'never' : relative(nextTick, now);
}

const MISSED = {
  last: 'the last one runs',
  skip: 'none of them runs',
  all: 'each of them runs',
};
/** As the engine has it: where runs may not overlap they take turns, and elsewhere a hundred begin at once. */
const ALL_MISSED = {
  skip: `${MISSED.all}, one after the other`,
  allow: `${MISSED.all}, the latest 100 at most`,
};
const OVERLAP = {
  skip: 'a tick is passed over while the job before is alive',
  allow: 'a tick runs beside the job before',
};

/** A schedule looked at alone: in words, with its next ticks in its own time zone. */
export function scheduleLines(schedule: Schedule, now: number, screen: Screen): string[] {
  const { name, cron, timeZone, kind, words, missed, overlap, paused } = schedule;
  const by = paused?.by == null ? '' : ` by ${paused.by}`;
  return [
    name,
    ...fieldLines(
      [
        ['when', words],
        ['cron', `${cron} in ${timeZone}`],
        ['kind', kind],
        ['paused', paused === null ? null : `${relative(paused.since, now)}${by}`],
        ['next', ticks(schedule, now)],
        ['missed', missed === null ? null : missedInWords(missed, overlap)],
        ['overlap', overlap === null ? null : OVERLAP[overlap]],
        ['last', last(schedule, now)],
        ['last job', schedule.lastJob],
      ],
      screen,
    ),
  ];
}

function missedInWords(
  missed: NonNullable<Schedule['missed']>,
  overlap: Schedule['overlap'],
): string {
  return missed === 'all' && overlap !== null ? ALL_MISSED[overlap] : MISSED[missed];
}

function ticks(schedule: Schedule, now: number): string {
  const { declared, timeZone, nextTick } = schedule;
  const shown = schedule.next.length === 0 && nextTick !== null ? [nextTick] : schedule.next;
  if (!declared || shown.length === 0) return next(schedule, now);
  return shown.map((tick) => `${local(tick, timeZone)}  ${relative(tick, now)}`).join('\n');
}

/** `Sun, 1 Feb 2026, 06:00 GMT+1`. */
function local(tick: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(new Date(tick));
}
