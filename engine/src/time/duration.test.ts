import { expect, it } from 'vitest';
import { type Duration, TEN_YEARS_MS, storableDelay, toMs } from './duration.ts';

it.each<[Duration, number]>([
  [1_500, 1_500],
  ['250ms', 250],
  ['90s', 90_000],
  ['1.5m', 90_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
])('reads %s', (duration, ms) => {
  expect(toMs(duration)).toBe(ms);
});

it.each(['', '5', 'm', '5 m', '-5m', '5min', '5M', '1e3s', 'Infinitys', NaN])(
  'refuses %j',
  (text) => {
    expect(() => toMs(text as Duration)).toThrow(
      expect.objectContaining({ code: 'invalid_definition' }),
    );
  },
);

it('names what it refuses, and what to write', () => {
  expect(() => toMs('5 minutes' as Duration)).toThrow(
    '"5 minutes" is not a duration. Write milliseconds or a number with a unit',
  );
});

it.each([
  [5, 5],
  [0.5, 0.5],
  [0, 0],
  [-1, 0],
  [NaN, 0],
  [TEN_YEARS_MS + 1, TEN_YEARS_MS],
  [Infinity, TEN_YEARS_MS],
])('a delay of %d becomes %d: no store counts backwards, nor to the end of time', (ms, stored) => {
  expect(storableDelay(ms)).toBe(stored);
});
