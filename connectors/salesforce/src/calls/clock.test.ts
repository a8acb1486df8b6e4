import { expect, test } from 'vitest';
import { createClock } from './clock.ts';

const START = Date.UTC(2026, 0, 1);
const dateOf = (ms: number): string => new Date(ms).toUTCString();

test('it is our own until the org has spoken, and nonsense does not count', () => {
  const clock = createClock(() => START);
  expect(clock.now()).toBe(START);
  clock.note(undefined, START, START);
  clock.note('yesterday', START, START);
  expect(clock.now()).toBe(START);
});

test('answers at many moments of a second tell the difference to a few milliseconds', () => {
  let local = START;
  const ahead = 7_321;
  const clock = createClock(() => local);
  for (let n = 0; n < 40; n++) {
    local += 1_037;
    // The answer took 20 ms, and the org looked at its clock in the middle.
    clock.note(dateOf(local - 10 + ahead), local - 20, local);
  }
  expect(Math.abs(clock.now() - (local + ahead))).toBeLessThanOrEqual(30);
});

test('a slow answer does not spoil what a quick one reported', () => {
  const clock = createClock(() => START);
  clock.note(dateOf(START), START - 10, START);
  const before = clock.now();
  clock.note(dateOf(START), START - 60_000, START);
  expect(clock.now()).toBe(before);
});

test('a clock that was set is believed at once', () => {
  let local = START;
  const clock = createClock(() => local);
  for (let n = 0; n < 10; n++) clock.note(dateOf(local), local, local);
  local -= 100_000; // ours was put back
  clock.note(dateOf(START), local, local);
  expect(Math.abs(clock.now() - START)).toBeLessThanOrEqual(1_000);
});

test('what was reported long ago is forgotten', () => {
  let local = START;
  const clock = createClock(() => local);
  clock.note(dateOf(START), START, START); // between 0 and 1,000 ms ahead
  local += 10 * 60_000;
  clock.note(dateOf(local - 900), local - 1_000, local); // between -1,000 and 1,000
  expect(clock.now() - local).toBe(0);
});
