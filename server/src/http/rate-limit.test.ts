import { expect, test } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

function limit(perMinute: number) {
  let now = 0;
  return {
    ...createRateLimit({ perMinute, now: () => now }),
    pass: (ms: number) => void (now += ms),
  };
}

test('a minute’s worth at once, then as fast as it comes back', () => {
  const { take, pass } = limit(60);
  for (let n = 0; n < 60; n += 1) take('ada');
  expect(() => take('ada')).toThrow(/Wait 1 s/);
  pass(1_000);
  take('ada');
  expect(() => take('ada')).toThrow(/60 requests a minute/);
});

test('callers do not use up each other’s', () => {
  const { take } = limit(1);
  take('ada');
  take('bob');
  expect(() => take('ada')).toThrow();
});

test('says when to come back', () => {
  const { take } = limit(2);
  take('ada');
  take('ada');
  expect(() => take('ada')).toThrow(
    expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 30 }) as Error,
  );
});

test('forgets those not seen for longest, so that made-up names do not fill the memory', () => {
  const { take } = limit(1);
  take('first');
  for (let n = 0; n < 10_000; n += 1) take(`made-up-${n}`);
  take('first');
  expect(() => take('made-up-9999')).toThrow();
});
