import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchProgress } from './session.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch(progress: () => number | null) {
  const onStall = vi.fn();
  return { onStall, stop: watchProgress({ progress, withinMs: 1_000, onStall }) };
}

test('calls once, when nothing has come for so long', async () => {
  const { onStall } = watch(() => 7);
  await vi.advanceTimersByTimeAsync(999);
  expect(onStall).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(onStall).toHaveBeenCalledOnce();
});

test('never while something comes, however slowly', async () => {
  let done = 0;
  const { onStall, stop } = watch(() => done);
  for (let second = 0; second < 100; second++) {
    await vi.advanceTimersByTimeAsync(900);
    done += 1;
  }
  expect(onStall).not.toHaveBeenCalled();
  stop();
});

test('never while the reader is waited for, and from the start when he is back', async () => {
  let done: number | null = null;
  const { onStall } = watch(() => done);
  await vi.advanceTimersByTimeAsync(100_000);
  done = 5;
  await vi.advanceTimersByTimeAsync(999);
  expect(onStall).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(251);
  expect(onStall).toHaveBeenCalledOnce();
});

test('what arrived while the process was busy counts', async () => {
  let done = 0;
  const { onStall } = watch(() => done);
  await vi.advanceTimersByTimeAsync(750);
  // The timer is due and the bytes are there; the event loop comes to the timer first.
  setTimeout(() => setImmediate(() => (done = 1)), 249);
  await vi.advanceTimersByTimeAsync(251);
  expect(onStall).not.toHaveBeenCalled();
});

test('stopped', async () => {
  const { onStall, stop } = watch(() => 7);
  stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(onStall).not.toHaveBeenCalled();
});
