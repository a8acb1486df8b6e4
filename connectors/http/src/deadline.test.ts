import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { errorOf, peer } from '../test/line.ts';
import { createDeadline } from './deadline.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a deadline', () => {
  test('ends when its time is up', () => {
    const deadline = createDeadline({ ms: 1_000 });
    vi.advanceTimersByTime(999);
    expect([deadline.signal.aborted, deadline.ended()]).toEqual([false, null]);
    vi.advanceTimersByTime(1);
    expect([deadline.signal.aborted, deadline.ended()]).toEqual([true, 'timeout']);
  });

  test('begins again, and stands still', () => {
    const deadline = createDeadline({ ms: 1_000, idle: true });
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
    const deadline = createDeadline({ ms: 1_000, signal: caller.signal });
    caller.abort();
    vi.advanceTimersByTime(2_000);
    expect([deadline.signal.aborted, deadline.ended()]).toEqual([true, 'canceled']);
    expect(createDeadline({ ms: 1_000, signal: caller.signal }).ended()).toBe('canceled');
  });

  test('of the whole request does not begin again', () => {
    const deadline = createDeadline({ ms: 1_000 });
    vi.advanceTimersByTime(900);
    deadline.rearm();
    deadline.pause();
    vi.advanceTimersByTime(100);
    expect(deadline.ended()).toBe('timeout');
  });

  test('ends the wait for what the request needs, and not its making', async () => {
    const deadline = createDeadline({ ms: 1_000 });
    const waiting = errorOf(deadline.orEnded(new Promise(() => {}), peer));
    vi.advanceTimersByTime(1_000);
    expect(await waiting).toMatchObject({ code: 'timeout', outcome: 'notSent' });
  });

  test('that is cleared leaves nothing behind', () => {
    const caller = new AbortController();
    const deadline = createDeadline({ ms: 1_000, signal: caller.signal });
    deadline.clear();
    deadline.rearm();
    expect(vi.getTimerCount()).toBe(0);
    // What is still under way is given up.
    expect(deadline.ended()).toBe('canceled');
  });
});
