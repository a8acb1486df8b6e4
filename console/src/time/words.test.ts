import { expect, test } from 'vitest';
import { countUpTo } from './words.ts';

test('what is more than anybody counts is said with a plus', () => {
  expect([12, 999, 1_000, 240_000].map((value) => countUpTo(999, value))).toEqual([
    '12',
    '999',
    '999+',
    '999+',
  ]);
});
