import { expect, test } from 'vitest';
import { createPoisonList } from './poison.ts';

function list(limit = 3) {
  const clock = { now: 0 };
  return { clock, poison: createPoisonList({ limit, forgetAfterMs: 1_000, now: () => clock.now }) };
}

test('two deaths put a document on the list, one does not', () => {
  const { poison } = list();
  expect(poison.died('a', 'crash')).toBe(false);
  expect(poison.why('a')).toBeNull();
  expect(poison.died('a', 'crash')).toBe(true);
  expect([poison.why('a'), poison.why('b'), poison.size()]).toEqual(['crash', null, 1]);
});

test('it is forgotten when the time is over, and so is a single death', () => {
  const { poison, clock } = list();
  poison.died('a', 'crash');
  clock.now = 999;
  expect(poison.died('a', 'crash')).toBe(true);
  clock.now = 1_999;
  expect([poison.why('a'), poison.size()]).toEqual([null, 0]);
  poison.died('b', 'crash');
  clock.now = 2_999;
  expect(poison.died('b', 'crash')).toBe(false);
});

test('the oldest give way when the list is full', () => {
  const { poison } = list(2);
  for (const sha256 of ['a', 'a', 'b', 'b', 'c', 'c']) poison.died(sha256, 'crash');
  expect(['a', 'b', 'c'].map(poison.why)).toEqual([null, 'crash', 'crash']);
});

test('one death is enough where it was the document for sure', () => {
  const { poison } = list();
  expect(poison.died('a', 'timeout', { sure: true })).toBe(true);
  expect(poison.why('a')).toBe('timeout');
});
