import { expect, test } from 'vitest';
import { CONFIRM_WITHIN_MS, askedOf, createConfirmations } from './confirmations.ts';
import type { Foresight } from './tool.ts';

const foresight: Foresight = {
  type: 'foresight',
  question: 'Really?',
  lines: [],
  data: {},
  foreign: false,
  act: () => Promise.reject(new Error('Nobody acts here.')),
};

test('a confirmation ends', () => {
  const clock = { now: 0 };
  const confirmations = createConfirmations(() => clock.now);
  const asked = askedOf('cancel_job', { id: 'pg-1' });
  const { confirm, until } = confirmations.ask(asked, foresight);
  expect(until).toBe(CONFIRM_WITHIN_MS);
  clock.now = until + 1;
  expect(() => confirmations.take(confirm, asked)).toThrow('too old');
  const again = confirmations.ask(asked, foresight);
  clock.now = again.until;
  expect(confirmations.take(again.confirm, asked)).toBe(foresight);
});

test('the oldest of many open questions is forgotten', () => {
  const confirmations = createConfirmations(() => 0);
  const first = confirmations.ask('a', foresight);
  const others = Array.from({ length: 100 }, () => confirmations.ask('a', foresight));
  expect(() => confirmations.take(first.confirm, 'a')).toThrow('Nothing was changed');
  expect(confirmations.take(others[0]?.confirm ?? '', 'a')).toBe(foresight);
});

test('what was asked is the same whatever the order, and another one by any value', () => {
  const asked = askedOf('t', { a: { x: 1, y: [1, 2] }, b: undefined });
  expect(askedOf('t', { a: { y: [1, 2], x: 1 } })).toBe(asked);
  for (const other of [{ a: { x: 1, y: [2, 1] } }, { a: { x: 1 } }, { a: { x: '1', y: [1, 2] } }])
    expect(askedOf('t', other)).not.toBe(asked);
  expect(askedOf('u', { a: { y: [1, 2], x: 1 } })).not.toBe(asked);
  // An object is not the list of its members.
  expect(askedOf('t', { a: { x: 1 } })).not.toBe(askedOf('t', { a: [['x', 1]] }));
});
