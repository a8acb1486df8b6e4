import { type Dice, createDice } from '@millrace/testkit';
import { expect, it } from 'vitest';
import { type Expression, someExpression } from '../../test/expressions.ts';
import { nextTick } from './window.ts';
import { isLong } from '../../../scripts/need.mjs';

/*
 * Random expressions around changes of the clocks, against the rule by its definition: the wall of the zone is
 * read at every step of a stretch of time, and what it shows is compared with an expression that is known as
 * sets of numbers, never parsed. Another CRON_SEED draws other zones and expressions.
 */
const SEED = process.env['CRON_SEED'] ?? (isLong ? '2' : '1');
/** A third of the changes of the clocks in the fast suite and the others in the long one: to read a wall takes long. */
const THIRDS = isLong ? 2 : 1;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Always tried: half an hour, midnight, a whole day, two to seven hours, Ramadan, no daylight saving at all. */
const NASTY: [zone: string, year: number][] = [
  ['Europe/Berlin', 2026],
  ['Europe/Dublin', 2026],
  ['America/New_York', 2026],
  ['America/St_Johns', 2006],
  ['America/Sao_Paulo', 2018],
  ['America/Caracas', 2007],
  ['America/Danmarkshavn', 1996],
  ['Africa/Cairo', 2026],
  ['Africa/Casablanca', 2026],
  ['Africa/Monrovia', 1972],
  ['Antarctica/Casey', 2020],
  ['Antarctica/Troll', 2026],
  ['Antarctica/Vostok', 1994],
  ['Asia/Beirut', 2026],
  ['Asia/Kathmandu', 1985],
  ['Asia/Pyongyang', 2018],
  ['Australia/Lord_Howe', 2026],
  ['Pacific/Apia', 2011],
  ['Pacific/Kwajalein', 1993],
];

type Wall = (moment: number) => number;

/** What the wall shows, in milliseconds since 1970 as if it were UTC. */
function wallOf(timeZone: string): Wall {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (moment) => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = format
      .format(moment)
      .split(/\D+/)
      .map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
}

/** The minutes of a year at which the clocks have just been changed. */
function changesOf(wall: Wall, year: number): number[] {
  const found: number[] = [];
  const offset = (moment: number) => wall(moment) - moment;
  for (let day = Date.UTC(year, 0, 1); day < Date.UTC(year + 1, 0, 1); day += DAY) {
    if (offset(day) === offset(day + DAY)) continue;
    let minute = day;
    while (offset(minute) === offset(day)) minute += MINUTE;
    found.push(minute);
  }
  return found;
}

interface Shown {
  readonly moment: number;
  readonly local: number;
  readonly isFirst: boolean;
  /** Local times between the last one shown and this, if the wall never shows them. */
  readonly leftOut: readonly number[];
}

function read(wall: Wall, from: number, to: number, step: number): Shown[] {
  const moments = Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step);
  const locals = moments.map(wall);
  const ever = new Set(locals);
  const seen = new Set<number>();
  return moments.map((moment, index) => {
    const local = locals[index] ?? 0;
    const leftOut: number[] = [];
    for (let each = (locals[index - 1] ?? local) + step; each < local; each += step) {
      if (!ever.has(each)) leftOut.push(each);
    }
    const isFirst = !seen.has(local);
    seen.add(local);
    return { moment, local, isFirst, leftOut };
  });
}

/** The rule by its definition. */
function expectedTicks(shown: readonly Shown[], { isRhythm, matches }: Expression): number[] {
  return shown
    .filter(({ local, isFirst, leftOut }) =>
      isRhythm ? matches(local) : (isFirst && matches(local)) || leftOut.some(matches),
    )
    .map(({ moment }) => moment);
}

/** Enough to pass the change from where a comparison starts, for all but the densest. */
const TICKS = 100;

interface Try {
  readonly zone: string;
  readonly change: number;
  readonly dice: Dice;
  readonly count: number;
  /** How far the wall is read, and how far ticks are compared: what came before the reading is unknown. */
  readonly read: readonly [before: number, after: number];
  readonly compare: readonly [before: number, after: number];
  readonly step: number;
}

function tryExpressions({ zone, change, dice, count, step, ...spans }: Try): void {
  const wall = wallOf(zone);
  const shown = read(wall, change - spans.read[0], change + spans.read[1], step);
  const [before, after] = [wall(change - 2 * MINUTE), wall(change + MINUTE)];
  const around = [before, (before + after) / 2, after, after + HOUR];
  const texts = (moments: readonly number[]) => moments.map((each) => new Date(each).toISOString());
  for (let i = 0; i < count; i++) {
    const expression = someExpression(dice, around, step === SECOND);
    const cron = expression.text;
    const where = `CRON_SEED=${SEED}: "${cron}" in ${zone} around ${new Date(change).toISOString()}`;
    // Mostly shortly before the change.
    const from = change - Math.round(spans.compare[0] * dice.next() ** 3);
    const to = change + spans.compare[1];
    const ticks = expectedTicks(shown, expression).filter((tick) => tick > from && tick <= to);

    const found: number[] = [];
    let tick = nextTick(cron, zone, from);
    for (; tick !== null && tick <= to && found.length < TICKS; tick = nextTick(cron, zone, tick)) {
      found.push(tick);
    }
    expect(texts(found), where).toEqual(texts(ticks.slice(0, TICKS)));

    for (let j = 0; j < 5; j++) {
      const moment = dice.integer(from, to);
      const next = ticks.find((each) => each > moment);
      if (next === undefined) continue;
      expect(nextTick(cron, zone, moment), `${where}, after ${moment}`).toBe(next);
    }
  }
}

/** So many changes of the clocks, of any zone in any year. */
function someChanges(dice: Dice, count: number): { zone: string; change: number }[] {
  const zones = Intl.supportedValuesOf('timeZone');
  const changes: { zone: string; change: number }[] = [];
  while (changes.length < count) {
    const zone = zones[dice.integer(0, zones.length - 1)] ?? 'UTC';
    const found = changesOf(wallOf(zone), dice.integer(1970, 2037));
    const change = found[dice.integer(0, found.length - 1)];
    if (change !== undefined) changes.push({ zone, change });
  }
  return changes;
}

/** Local mean time, with seconds in its offset, was kept in Monrovia until 1972. */
const minuteOf = (zone: string, change: number) =>
  wallOf(zone)(change - DAY) % MINUTE === 0 ? MINUTE : 30 * SECOND;

const DAYS = { read: [60 * HOUR, 60 * HOUR], compare: [30 * HOUR, 30 * HOUR] } as const;

it.each(NASTY)('around the changes of the clocks in %s in %d', (zone, year) => {
  const changes = changesOf(wallOf(zone), year);
  expect(changes).not.toEqual([]);
  for (const change of changes) {
    const dice = createDice(`${SEED}/${zone}/${change}`);
    tryExpressions({ zone, change, dice, count: 10, ...DAYS, step: minuteOf(zone, change) });
  }
});

it('around changes of the clocks anywhere', () => {
  const dice = createDice(`${SEED}/anywhere`);
  for (const { zone, change } of someChanges(dice, 8 * THIRDS)) {
    tryExpressions({ zone, change, dice, count: 10, ...DAYS, step: minuteOf(zone, change) });
  }
});

it('to the second', () => {
  const dice = createDice(`${SEED}/seconds`);
  const spans = { read: [5 * HOUR, 4 * HOUR], compare: [HOUR, 3 * HOUR] } as const;
  for (const { zone, change } of someChanges(dice, 2 * THIRDS)) {
    tryExpressions({ zone, change, dice, count: 10, ...spans, step: SECOND });
  }
});

it('over weeks, for what runs on few days', () => {
  const dice = createDice(`${SEED}/weeks`);
  const spans = { read: [50 * DAY, 20 * DAY], compare: [48 * DAY, 18 * DAY] } as const;
  for (const { zone, change } of someChanges(dice, THIRDS)) {
    tryExpressions({ zone, change, dice, count: 10, ...spans, step: minuteOf(zone, change) });
  }
});
