import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test, vi } from 'vitest';
import { createMeter } from './calls.ts';

const requests = (count: number) => ({ requests: count }) as never;

test('calls are counted for whoever made them, and the context is off when nobody is counted', async () => {
  const off = vi.spyOn(AsyncLocalStorage.prototype, 'disable');
  const meter = createMeter();
  const [one, other] = [{ calls: 0 }, { calls: 0 }];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = meter.during(one, async () => {
    await held;
    meter.onCall(requests(2));
  });
  await meter.during(other, async () => meter.onCall(requests(3)));
  // The first is still at work, and must be counted to its end.
  expect(off).not.toHaveBeenCalled();
  release();
  await first;
  expect(off).toHaveBeenCalledTimes(1);
  meter.onCall(requests(5));
  expect([one.calls, other.calls]).toEqual([2, 3]);

  await expect(meter.during(one, () => Promise.reject(new Error('broken')))).rejects.toThrow();
  expect(off).toHaveBeenCalledTimes(2);
});
