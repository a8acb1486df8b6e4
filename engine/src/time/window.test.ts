import { describe, expect, it } from 'vitest';
import { type PauseWindow, checkWindow, nextTick, parseCron, pausedUntil } from './window.ts';

const at = (text: string) => Date.parse(text);

function ticks(cron: string, timeZone: string, after: string, count: number): string[] {
  const found: string[] = [];
  for (let tick: number | null = at(after); found.length < count;) {
    tick = nextTick(cron, timeZone, tick);
    if (tick === null) break;
    found.push(new Date(tick).toISOString().slice(5, 16));
  }
  return found;
}

describe('ticks', () => {
  it('come in the time zone of the schedule', () => {
    expect(ticks('0 8 * * 1-5', 'Europe/Berlin', '2026-01-02T12:00Z', 2)).toEqual([
      '01-05T07:00',
      '01-06T07:00',
    ]);
    expect(ticks('0 8 * * *', 'America/New_York', '2026-07-01T12:00Z', 1)).toEqual(['07-02T12:00']);
    expect(ticks('0 8 * * *', 'Asia/Kolkata', '2026-07-01T12:00Z', 1)).toEqual(['07-02T02:30']);
  });

  it('are strictly after', () => {
    expect(nextTick('0 8 * * *', 'UTC', at('2026-01-01T08:00Z'))).toBe(at('2026-01-02T08:00Z'));
    expect(nextTick('0 8 * * *', 'UTC', at('2026-01-01T08:00Z') - 1)).toBe(at('2026-01-01T08:00Z'));
  });

  it.each([
    ['at night', 'UTC'],
    ['61 * * * *', 'UTC'],
    ['* * * *', 'UTC'],
    ['* * * * *', 'Mars/Olympus'],
    ['* * * * *', ''],
    ['0 0 30 2 *', 'UTC'],
  ])('"%s" in %s is refused', (cron, timeZone) => {
    expect(() => parseCron(cron, timeZone)).toThrow(
      expect.objectContaining({ code: 'invalid_schedule' }),
    );
  });
});

it('a time zone that is none is reported with an example of one', () => {
  expect(() => parseCron('* * * * *', 'Berlin')).toThrow(
    '"* * * * *" in time zone "Berlin" is not a schedule: RangeError: "Berlin" is no IANA time zone, such as "Europe/Berlin".',
  );
});

describe('when the clocks go forward', () => {
  it.each([
    // 02:00 becomes 03:00 on 29 March; 02:30 does not exist.
    ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00Z', ['03-29T01:00', '03-30T00:30']],
    ['America/New_York', '30 2 * * *', '2026-03-07T12:00Z', ['03-08T07:00', '03-09T06:30']],
  ])(
    'in %s a time that does not exist runs at the moment they move to',
    (zone, cron, after, expected) => {
      expect(ticks(cron, zone, after, 2)).toEqual(expected);
    },
  );

  it('a rhythm goes on in real time', () => {
    expect(ticks('*/20 * * * *', 'Europe/Berlin', '2026-03-29T00:30Z', 4)).toEqual([
      '03-29T00:40',
      '03-29T01:00',
      '03-29T01:20',
      '03-29T01:40',
    ]);
    expect(ticks('0 * * * *', 'Europe/Berlin', '2026-03-28T23:30Z', 3)).toEqual([
      '03-29T00:00',
      '03-29T01:00',
      '03-29T02:00',
    ]);
  });
});

describe('when the clocks go back', () => {
  it.each([
    // 03:00 becomes 02:00 on 25 October; 02:30 comes at 00:30Z and at 01:30Z.
    ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00Z', ['10-25T00:30', '10-26T01:30']],
    ['America/New_York', '30 1 * * *', '2026-10-31T12:00Z', ['11-01T05:30', '11-02T06:30']],
  ])('in %s a time that comes twice runs the first time', (zone, cron, after, expected) => {
    expect(ticks(cron, zone, after, 2)).toEqual(expected);
  });

  it('a rhythm goes on in real time', () => {
    expect(ticks('*/30 * * * *', 'America/New_York', '2026-11-01T04:45Z', 5)).toEqual([
      '11-01T05:00',
      '11-01T05:30',
      '11-01T06:00',
      '11-01T06:30',
      '11-01T07:00',
    ]);
    expect(ticks('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30Z', 3)).toEqual([
      '10-25T00:00',
      '10-25T01:00',
      '10-25T02:00',
    ]);
  });
});

describe('a pause window', () => {
  const nights: PauseWindow = { cron: '0 22 * * *', timeZone: 'Europe/Berlin', lasts: '8h' };

  it.each([
    ['2026-01-01T20:59:59Z', null],
    ['2026-01-01T21:00Z', '2026-01-02T05:00Z'],
    ['2026-01-02T04:59:59Z', '2026-01-02T05:00Z'],
    ['2026-01-02T05:00Z', null],
    // The night of 29 March is still eight hours long.
    ['2026-03-29T04:00Z', '2026-03-29T05:00Z'],
    ['2026-03-29T05:00Z', null],
  ])('at %s holds until %s', (now, until) => {
    expect(pausedUntil([nights], at(now))).toBe(until === null ? null : at(until));
  });

  it('beside others holds until the last of them', () => {
    const noon: PauseWindow = { cron: '0 12 * * *', lasts: '1h' };
    const long: PauseWindow = { cron: '30 12 * * *', lasts: '2h' };
    expect(pausedUntil([noon, long], at('2026-01-01T12:45Z'))).toBe(at('2026-01-01T14:30Z'));
    expect(pausedUntil([long, noon], at('2026-01-01T12:15Z'))).toBe(at('2026-01-01T13:00Z'));
    expect(pausedUntil([], at('2026-01-01T12:15Z'))).toBeNull();
  });

  it.each<PauseWindow>([
    { cron: 'x', lasts: '1h' },
    { cron: '* * * * *', lasts: 0 },
    { cron: '* * * * *', lasts: Infinity },
    { cron: '* * * * *', timeZone: 'Nowhere', lasts: '1h' },
  ])('%j is refused', (window) => {
    expect(() => checkWindow(window)).toThrow(
      expect.objectContaining({ code: 'invalid_schedule' }),
    );
  });
});
