import { bucketOf } from '@millrace/store-postgres';
import { expect, test } from 'vitest';
import { added, quantile } from './flow.ts';

test.each([
  [Number.NaN, 0],
  [-5, 0],
  [0, 0],
  [4, 0],
  [4.1, 1],
  [8, 1],
  [9, 2],
  [1e12, 23],
])('%d ms is in bucket %d', (ms, bucket) => expect(bucketOf(ms)).toBe(bucket));

test('a quantile is at most a factor of two off', () => {
  const counts: number[] = [];
  for (let ms = 1; ms <= 1_000; ms += 1) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1;
  for (const part of [0.5, 0.95, 0.99]) {
    const found = quantile(counts, part) ?? 0;
    expect(found).toBeGreaterThan(part * 500);
    expect(found).toBeLessThan(part * 2_000);
  }
  expect(quantile([], 0.5)).toBeNull();
  expect(quantile([0, 0], 0.5)).toBeNull();
});

test('lists of two lengths are added up', () => expect(added([1], [1, 2])).toEqual([2, 2]));
