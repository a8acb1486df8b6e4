import { createDice } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { parameter } from '../../test/parameters.ts';
import { addMonths, dayAt, dayOf, endOf, isoDay, partsOf, readDay, startOf } from './calendar.ts';
import { readUnbound } from './values.ts';

const on = (iso: string) => readDay(iso) ?? Number.NaN;
const valueOf = (type: 'date' | 'month' | 'date range', words: string, today: string) => {
  const read = readUnbound(parameter(type), words, on(today));
  return 'value' in read ? read.value : null;
};

describe('words for a date', () => {
  test.each([
    ['today', '2026-03-31', '2026-03-31'],
    ['Yesterday', '2026-03-01', '2026-02-28'],
    ['tomorrow', '2026-12-31', '2027-01-01'],
    ['7 days ago', '2026-03-03', '2026-02-24'],
    ['1 day ago', '2026-03-03', '2026-03-02'],
    ['in 2 weeks', '2026-03-31', '2026-04-14'],
    ['1 month ago', '2026-03-31', '2026-02-28'],
    ['1 month ago', '2024-03-31', '2024-02-29'],
    ['1 quarter ago', '2026-05-31', '2026-02-28'],
    ['2 years ago', '2024-02-29', '2022-02-28'],
    ['start of week', '2026-03-01', '2026-02-23'],
    ['start of week', '2026-03-02', '2026-03-02'],
    ['end of week', '2026-03-02', '2026-03-08'],
    ['start of month', '2026-03-31', '2026-03-01'],
    ['start of the month', '2026-03-31', '2026-03-01'],
    ['start  of last   month', '2026-03-31', '2026-02-01'],
    ['end of last month', '2026-03-31', '2026-02-28'],
    ['end of next month', '2026-01-31', '2026-02-28'],
    ['start of quarter', '2026-06-30', '2026-04-01'],
    ['end of last quarter', '2026-02-11', '2025-12-31'],
    ['start of last year', '2026-02-11', '2025-01-01'],
    ['2026-02-28', '2026-03-31', '2026-02-28'],
  ])('%s on %s is %s', (words, today, day) => expect(valueOf('date', words, today)).toBe(day));

  test.each([
    'last month',
    'month ago',
    'next tuesday',
    '2026-02-29',
    '2026-2-3',
    '31.01.2026',
    '2026-13-01',
    '0000-01-01',
    '99999 years ago',
    '-1 days ago',
    '',
  ])('"%s" is none', (words) => expect(valueOf('date', words, '2026-03-31')).toBeNull());
});

test.each([
  ['this month', '2026-01-31', '2026-01'],
  ['last month', '2026-01-31', '2025-12'],
  ['next month', '2026-12-01', '2027-01'],
  ['3 months ago', '2026-05-31', '2026-02'],
  ['in 1 month', '2026-01-31', '2026-02'],
  ['2026-02', '2026-01-31', '2026-02'],
  ['2026-13', '2026-01-31', null],
  ['today', '2026-01-31', null],
  ['2 weeks ago', '2026-01-31', null],
])('the month %s on %s is %s', (words, today, month) =>
  expect(valueOf('month', words, today)).toBe(month),
);

test.each([
  ['yesterday', '2026-03-01', '2026-02-28..2026-02-28'],
  ['last month', '2026-03-31', '2026-02-01..2026-02-28'],
  ['this quarter', '2026-05-05', '2026-04-01..2026-06-30'],
  ['last week', '2026-03-01', '2026-02-16..2026-02-22'],
  ['last 7 days', '2026-03-08', '2026-03-01..2026-03-07'],
  ['last 3 months', '2026-03-08', '2025-12-01..2026-02-28'],
  ['month to date', '2026-03-08', '2026-03-01..2026-03-08'],
  ['start of year..yesterday', '2026-03-08', '2026-01-01..2026-03-07'],
  ['2026-01-05 .. 2026-01-07', '2026-03-08', '2026-01-05..2026-01-07'],
  ['2026-02', '2026-03-08', '2026-02-01..2026-02-28'],
  ['2026-02-03', '2026-03-08', '2026-02-03..2026-02-03'],
  ['2026-02-03..2026-02-01', '2026-03-08', null],
  ['a..b', '2026-03-08', null],
  ['2026-01-01..2026-01-02..2026-01-03', '2026-03-08', null],
])('the range %s on %s is %s', (words, today, range) =>
  expect(valueOf('date range', words, today)).toBe(range),
);

test('today is that of the time zone', () => {
  const moment = Date.UTC(2026, 2, 1, 3);
  expect(isoDay(dayAt(moment, 'America/Los_Angeles'))).toBe('2026-02-28');
  expect(isoDay(dayAt(moment, 'UTC'))).toBe('2026-03-01');
  expect(isoDay(dayAt(moment, 'Pacific/Kiritimati'))).toBe('2026-03-01');
  // Samoa left out 30 December 2011.
  expect(isoDay(dayAt(Date.UTC(2011, 11, 30, 11), 'Pacific/Apia'))).toBe('2011-12-31');
});

test('the calendar adds up on any day', () => {
  const dice = createDice('calendar');
  for (let round = 0; round < 2_000; round += 1) {
    const day = dice.integer(dayOf(1, 3, 1), dayOf(9999, 10, 31));
    expect(readDay(isoDay(day) ?? '')).toBe(day);
    const months = dice.integer(-24, 24);
    const moved = addMonths(day, months);
    const [a, b] = [partsOf(day), partsOf(moved)];
    expect((b.year - a.year) * 12 + b.month - a.month).toBe(months);
    expect(b.day === a.day || (b.day < a.day && moved === endOf(moved, 'month'))).toBe(true);
    for (const period of ['week', 'month', 'quarter', 'year'] as const) {
      const [start, end] = [startOf(day, period), endOf(day, period)];
      expect(start <= day && day <= end).toBe(true);
      expect(startOf(end, period)).toBe(start);
      expect(startOf(end + 1, period)).toBe(end + 1);
    }
  }
});
