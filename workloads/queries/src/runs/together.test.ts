import { expect, test } from 'vitest';
import { createTogether } from './together.ts';

test('questions of one turn are asked as one, and each gets its own answer', async () => {
  const asked: number[][] = [];
  const together = createTogether(async (numbers: readonly number[]) => {
    asked.push([...numbers]);
    return numbers.map((number) => number * 10);
  });
  expect(await Promise.all([together(1), together(2), together(1)])).toEqual([10, 20, 10]);
  expect(await together(3)).toBe(30);
  expect(asked).toEqual([[1, 2, 1], [3]]);
});

test('a failure is that of all that asked together, and of none after', async () => {
  let fails = true;
  const together = createTogether(async (numbers: readonly number[]) => {
    if (fails) throw new Error('away');
    return numbers;
  });
  const settled = await Promise.allSettled([together(1), together(2)]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fails = false;
  expect(await together(4)).toBe(4);
});
