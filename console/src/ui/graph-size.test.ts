import { expect, test } from 'vitest';
import { fitted, widthOf } from './graph-size.ts';

test.each([
  [2, 1_200],
  [4, 816],
  [5, 816],
  [4, 700],
])('%i columns fit into %i px', (stages, available) => {
  const size = fitted(stages, available);
  expect(widthOf(stages, size?.node ?? Infinity, size?.gap ?? 0)).toBeLessThanOrEqual(available);
});

test('nodes stay as wide as can be read, and no wider than they were where there is room', () => {
  expect(fitted(4, 624)).toEqual({ node: 128, gap: 24 });
  expect(fitted(4, 623)).toBeNull(); // it would run off the edge
  expect(fitted(3, 2_000)).toEqual({ node: 196, gap: 72 });
  expect(fitted(3, null)).toEqual({ node: 196, gap: 72 });
});
