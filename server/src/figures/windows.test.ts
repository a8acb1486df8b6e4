import { WINDOWS } from '@millrace/api';
import { expect, test } from 'vitest';
import { historyRange, rangeOf } from './windows.ts';

const NOW = Date.parse('2026-03-10T12:34:56Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test.each(WINDOWS)('%s has at most 60 whole buckets, the last of which has begun', (window) => {
  const { from, to, bucketMs } = rangeOf(window, NOW);
  expect((to - from) % bucketMs).toBe(0);
  expect((to - from) / bucketMs).toBeLessThanOrEqual(60);
  expect(to - bucketMs).toBeLessThanOrEqual(NOW);
  expect(to).toBeGreaterThan(NOW);
});

test.each([
  ['a minute', NOW - 60_000, NOW],
  ['an hour', NOW - HOUR, NOW],
  ['two hours and one', NOW - 2 * HOUR - 1, NOW],
  ['a day', NOW - DAY, NOW],
  ['all', 0, NOW],
  ['the future', NOW + DAY, NOW + 2 * DAY],
  ['backwards', NOW, NOW - DAY],
])('%s has at most 120 whole buckets', (_, from, to) => {
  const range = historyRange(from, to, NOW);
  const count = (range.to - range.from) / range.bucketMs;
  expect(Number.isInteger(count)).toBe(true);
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThanOrEqual(120);
  expect(range.from).toBeGreaterThanOrEqual(NOW - 9 * DAY);
});

test('where minutes are merged into hours, buckets are hours at the least', () => {
  const { bucketMs } = historyRange(NOW - 3 * DAY, NOW - 3 * DAY + HOUR, NOW);
  expect(bucketMs).toBe(HOUR);
});
