import { expect, test } from 'vitest';
import { createPoisonList } from './poison.ts';

function list(limit = 3) {
  const clock = { now: 0 };
  return { clock, poison: createPoisonList({ limit, forgetAfterMs: 1_000, now: () => clock.now }) };
}

test('two deaths put a document on the list, one does not', () => {
  const { poison } = list();
  expect(poison.died('a')).toBe(false);
  expect(poison.has('a')).toBe(false);
  expect(poison.died('a')).toBe(true);
  expect([poison.has('a'), poison.has('b'), poison.size()]).toEqual([true, false, 1]);
});

test('it is forgotten when the time is over, and so is a single death', () => {
  const { poison, clock } = list();
  poison.died('a');
  clock.now = 999;
  expect(poison.died('a')).toBe(true);
  clock.now = 1_999;
  expect([poison.has('a'), poison.size()]).toEqual([false, 0]);
  poison.died('b');
  clock.now = 2_999;
  expect(poison.died('b')).toBe(false);
});

test('the oldest give way when the list is full', () => {
  const { poison } = list(2);
  for (const sha256 of ['a', 'a', 'b', 'b', 'c', 'c']) poison.died(sha256);
  expect(['a', 'b', 'c'].map(poison.has)).toEqual([false, true, true]);
});
