import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDeadline } from './deadline.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a deadline', () => {
  test('ends when its time is up', () => {
    const deadline = createDeadline(1_000, undefined);
    vi.advanceTimersByTime(999);
    expect([deadline.signal.aborted, deadline.ended()]).toEqual([false, null]);
    vi.advanceTimersByTime(1);
    expect([deadline.signal.aborted, deadline.ended()]).toEqual([true, 'timeout']);
  });

  test('begins again, and stands still', () => {
    const deadline = createDeadline(1_000, undefined);
    vi.advanceTimersByTime(900);
    deadline.rearm();
    vi.advanceTimersByTime(900);
    deadline.pause();
    vi.advanceTimersByTime(9_000);
    expect(deadline.signal.aborted).toBe(false);
    deadline.rearm();
    vi.advanceTimersByTime(1_000);
    expect(deadline.ended()).toBe('timeout');
  });

  test('ends with its caller, before or after it began', () => {
    const caller = new AbortController();
    const deadline = createDeadline(1_000, caller.signal);
    caller.abort();
    vi.advanceTimersByTime(2_000);
    expect([deadline.signal.aborted, deadline.ended()]).toEqual([true, 'canceled']);
    expect(createDeadline(1_000, caller.signal).ended()).toBe('canceled');
  });

  test('that is cleared leaves nothing behind', () => {
    const caller = new AbortController();
    const deadline = createDeadline(1_000, caller.signal);
    deadline.clear();
    deadline.rearm();
    expect(vi.getTimerCount()).toBe(0);
    caller.abort();
    expect(deadline.signal.aborted).toBe(false);
  });
});
