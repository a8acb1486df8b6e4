import { expect, test } from 'vitest';
import { manualClock } from '../../../test/telemetry.ts';
import { createSampling } from './sampling.ts';

function bucket(perSecond: number) {
  const clock = manualClock();
  const sampling = createSampling(perSecond, clock.now);
  const taken = (asked: number, preferred = false): number =>
    Array.from({ length: asked }, () => sampling.take(preferred)).filter(Boolean).length;
  return { clock, sampling, taken };
}

test('no more than so many in a second', () => {
  const { clock, taken } = bucket(50);
  const first = taken(10_000) + taken(10_000, true);
  expect(first).toBe(50);
  let second = 0;
  for (let n = 0; n < 100; n += 1) {
    clock.advance(10);
    second += taken(100, true);
  }
  expect(second).toBe(50);
});

test('what was not taken is not saved up', () => {
  const { clock, taken } = bucket(50);
  clock.advance(60_000);
  expect(taken(1_000, true)).toBe(50);
});

test('a fifth is kept for what is preferred', () => {
  const { taken, sampling } = bucket(50);
  expect(taken(1_000)).toBe(40);
  expect(sampling.isSpent()).toBe(false);
  expect(taken(1_000, true)).toBe(10);
  expect(sampling.isSpent()).toBe(true);
});

test('one a second is one a second, for anyone', () => {
  const { clock, taken } = bucket(1);
  expect(taken(5)).toBe(1);
  clock.advance(500);
  expect(taken(5, true)).toBe(0);
  clock.advance(500);
  expect(taken(5)).toBe(1);
});

test('none is none', () => {
  const { clock, taken } = bucket(0);
  clock.advance(10_000);
  expect(taken(5, true)).toBe(0);
});
