import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from './system.ts';
import { sleep } from './time/clock.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('never goes back', () => {
  const times = Array.from({ length: 100 }, () => systemClock.now());
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test('waits, and takes a wait back', async () => {
  const fired: string[] = [];
  const cancelTimers = [0, 5].map((ms) =>
    systemClock.after(ms, () => fired.push(`taken back ${ms}`)),
  );
  systemClock.after(10, () => fired.push('ten'));
  systemClock.after(0, () => fired.push('zero'));
  for (const each of cancelTimers) each();
  await sleep(systemClock, 30);
  expect(fired).toEqual(['zero', 'ten']);
});

test('waits longer than setTimeout can count', () => {
  vi.useFakeTimers();
  const fire = vi.fn<() => void>();
  const month = 31 * 86_400_000;
  systemClock.after(month, fire);
  const cancelTimer = systemClock.after(month, fire);
  vi.advanceTimersByTime(month - 1);
  expect(fire).not.toHaveBeenCalled();
  cancelTimer();
  vi.advanceTimersByTime(1);
  expect(fire).toHaveBeenCalledOnce();
});
