import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeadline } from './deadline.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a deadline ends when its time is up, or with its caller, before or after it began', () => {
  const deadline = createDeadline(1_000, undefined);
  vi.advanceTimersByTime(999);
  expect(deadline.ended()).toBeNull();
  vi.advanceTimersByTime(1);
  expect([deadline.signal.aborted, deadline.ended()]).toEqual([true, 'timeout']);

  const caller = new AbortController();
  const called = createDeadline(1_000, caller.signal);
  caller.abort();
  vi.advanceTimersByTime(2_000);
  expect(called.ended()).toBe('canceled');
  expect(createDeadline(1_000, caller.signal).ended()).toBe('canceled');
});

test('a deadline that is cleared leaves nothing behind', () => {
  const caller = new AbortController();
  const deadline = createDeadline(1_000, caller.signal);
  deadline.clear();
  expect(vi.getTimerCount()).toBe(0);
  caller.abort();
  expect(deadline.signal.aborted).toBe(false);
});
