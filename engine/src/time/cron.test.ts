import { describe, expect, it } from 'vitest';
import { cronTicks } from './cron.ts';

/** Every tick from `from` (left out) to `to` (included), as the wall shows it, with the offset: `25 02:30 +2`. */
function ticks(cron: string, timeZone: string, from: string, to: string): string[] {
  const wall = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'shortOffset',
  });
  const { nextRun } = cronTicks(cron, timeZone);
  const found: string[] = [];
  for (let tick = nextRun(new Date(from)); tick !== null && tick <= new Date(to);) {
    found.push(wall.format(tick).replace(',', '').replace(':00 GMT', ' ').replace('GMT', ''));
    tick = nextRun(tick);
  }
  return found;
}

// 02:00 becomes 03:00 on 29 March, 03:00 becomes 02:00 on 25 October.
describe('local times in Europe/Berlin', () => {
  it.each<[string, string[], string[]]>([
    ['15,45 2 * * *', ['29 03:00 +2'], ['25 02:15 +2', '25 02:45 +2']],
    [
      '30 1,2,3 * * *',
      ['29 01:30 +1', '29 03:00 +2', '29 03:30 +2'],
      ['25 01:30 +2', '25 02:30 +2', '25 03:30 +1'],
    ],
    [
      '0 */2 * * *',
      ['29 00:00 +1', '29 03:00 +2', '29 04:00 +2'],
      ['25 00:00 +2', '25 02:00 +2', '25 04:00 +1'],
    ],
    [
      '0 1-4 * * *',
      ['29 01:00 +1', '29 03:00 +2', '29 04:00 +2'],
      ['25 01:00 +2', '25 02:00 +2', '25 03:00 +1', '25 04:00 +1'],
    ],
    ['30 2 * * *', ['29 03:00 +2'], ['25 02:30 +2']],
    ['*/30 2 * * *', ['29 03:00 +2'], ['25 02:00 +2', '25 02:30 +2']],
    ['0 2,3 * * *', ['29 03:00 +2'], ['25 02:00 +2', '25 03:00 +1']],
    ['0,30 30 2 * * *', ['29 03:00 +2'], ['25 02:30 +2', '25 02:30:30 +2']],
    ['30 2 * * SUN#L', ['29 03:00 +2'], ['25 02:30 +2']],
    ['30 2 * * 1', [], []],
    ['0 3 * * *', ['29 03:00 +2'], ['25 03:00 +1']],
  ])('%s', (cron, spring, autumn) => {
    const zone = 'Europe/Berlin';
    expect(ticks(cron, zone, '2026-03-28T22:59Z', '2026-03-29T02:30Z')).toEqual(spring);
    expect(ticks(cron, zone, '2026-10-24T21:59Z', '2026-10-25T03:30Z')).toEqual(autumn);
  });
});

it.each([
  // 02:00 to 03:00 comes at 00:00Z and again at 01:00Z.
  ['15,45 2 * * *', '2026-10-25T00:50Z', '2026-10-26T01:15Z'],
  ['15,45 2 * * *', '2026-10-25T01:00Z', '2026-10-26T01:15Z'],
  ['15,45 2 * * *', '2026-10-25T01:20Z', '2026-10-26T01:15Z'],
  ['0,30 1-3 * * *', '2026-10-25T01:10Z', '2026-10-25T02:00Z'],
  ['30 * * * *', '2026-10-25T01:10Z', '2026-10-25T01:30Z'],
])('%s, asked at %s while the hour comes again', (cron, after, next) => {
  expect(cronTicks(cron, 'Europe/Berlin').nextRun(new Date(after))).toEqual(new Date(next));
});

it.each([
  ['30 2 25 10 *', '2026-01-01T00:00Z', '2026-10-25T00:30Z'],
  ['30 2 29 3 *', '2025-07-01T00:00Z', '2026-03-29T01:00Z'],
  ['30 3 29 3 *', '2026-01-01T00:00Z', '2026-03-29T01:30Z'],
  ['30 * 25 10 *', '2026-01-01T00:00Z', '2026-10-24T22:30Z'],
  ['30 2 29 2 *', '2025-07-01T00:00Z', '2028-02-29T01:30Z'],
])('%s, asked at %s, changes of the clocks ahead', (cron, after, next) => {
  expect(cronTicks(cron, 'Europe/Berlin').nextRun(new Date(after))).toEqual(new Date(next));
});

describe('a rhythm in Europe/Berlin', () => {
  it.each<[string, string[], string[]]>([
    [
      '0 * * * *',
      ['29 01:00 +1', '29 03:00 +2', '29 04:00 +2'],
      ['25 01:00 +2', '25 02:00 +2', '25 02:00 +1', '25 03:00 +1'],
    ],
    [
      '30 0-23 * * *',
      ['29 00:30 +1', '29 01:30 +1', '29 03:30 +2'],
      ['25 00:30 +2', '25 01:30 +2', '25 02:30 +2', '25 02:30 +1'],
    ],
    [
      '0 */40 */1 * * 7',
      ['29 00:40 +1', '29 01:00 +1', '29 01:40 +1', '29 03:00 +2', '29 03:40 +2', '29 04:00 +2'],
      [
        '25 00:40 +2',
        '25 01:00 +2',
        '25 01:40 +2',
        '25 02:00 +2',
        '25 02:40 +2',
        '25 02:00 +1',
        '25 02:40 +1',
        '25 03:00 +1',
      ],
    ],
  ])('%s', (cron, spring, autumn) => {
    const zone = 'Europe/Berlin';
    expect(ticks(cron, zone, '2026-03-28T23:00Z', '2026-03-29T02:00Z')).toEqual(spring);
    expect(ticks(cron, zone, '2026-10-24T22:00Z', '2026-10-25T02:00Z')).toEqual(autumn);
  });
});

describe('clocks that do otherwise', () => {
  it.each<[string, string, string, string, string, string[]]>([
    [
      'midnight is left out',
      '0 0 * * *',
      'Africa/Cairo',
      '2026-04-22T12:00Z',
      '2026-04-25T12:00Z',
      ['23 00:00 +2', '24 01:00 +3', '25 00:00 +3'],
    ],
    [
      'the last hour of the day comes twice',
      '59 23 * * *',
      'America/Sao_Paulo',
      '2018-02-17T12:00Z',
      '2018-02-19T12:00Z',
      ['17 23:59 -2', '18 23:59 -3'],
    ],
    [
      'half an hour is left out',
      '10 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-03T00:00Z',
      '2026-10-05T00:00Z',
      ['04 02:30 +11', '05 02:10 +11'],
    ],
    [
      'half an hour is left out, with the hour of a rhythm',
      '0 * * * *',
      'Australia/Lord_Howe',
      '2026-10-03T14:00Z',
      '2026-10-03T17:00Z',
      ['04 01:00 +10:30', '04 03:00 +11', '04 04:00 +11'],
    ],
    [
      'half an hour comes twice',
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T00:00Z',
      '2026-04-06T00:00Z',
      ['05 01:45 +11', '06 01:45 +10:30'],
    ],
    [
      'two hours come twice',
      '30 1,2 * * *',
      'Antarctica/Troll',
      '2026-10-24T12:00Z',
      '2026-10-25T12:00Z',
      ['25 01:30 +2', '25 02:30 +2'],
    ],
    [
      'a whole day is left out',
      '0 8 * * *',
      'Pacific/Apia',
      '2011-12-29T00:00Z',
      '2012-01-01T00:00Z',
      ['29 08:00 -10', '31 00:00 +14', '31 08:00 +14', '01 08:00 +14'],
    ],
    [
      'a whole day is left out, the only one of the month',
      '0 8 30 * *',
      'Pacific/Apia',
      '2011-12-01T00:00Z',
      '2012-02-01T00:00Z',
      ['31 00:00 +14', '30 08:00 +14'],
    ],
    [
      'a zone moves without daylight saving',
      '45 23 * * *',
      'Asia/Pyongyang',
      '2018-05-03T00:00Z',
      '2018-05-06T00:00Z',
      ['03 23:45 +8:30', '05 00:00 +9', '05 23:45 +9'],
    ],
    [
      'the offset has seconds',
      '30 0 * * *',
      'Africa/Monrovia',
      '1972-01-06T00:00Z',
      '1972-01-08T12:00Z',
      ['06 00:30 -0:44:30', '07 00:44:30 +0', '08 00:30 +0'],
    ],
  ])('%s', (_, cron, zone, from, to, expected) => {
    expect(ticks(cron, zone, from, to).map((tick) => tick.replace(/ $/, ' +0'))).toEqual(expected);
  });
});

it('a date, which croner takes for an expression, is none', () => {
  expect(() => cronTicks('2026-12-24T18:00', 'Europe/Berlin')).toThrow('it is a date');
});
