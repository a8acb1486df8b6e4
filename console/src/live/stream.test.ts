import type { Client } from '@millrace/api';
import { afterEach, expect, test, vi } from 'vitest';
import { openLive } from './stream.ts';

afterEach(() => void vi.unstubAllGlobals());

test('a line that broke is not called live until it is opened again', async () => {
  vi.stubGlobal('navigator', {});
  let breakLine: () => void = () => {};
  let greet: () => void = () => {};
  async function* events(_: unknown, { onBreak }: { onBreak: () => void }) {
    breakLine = onBreak;
    for (;;) {
      yield { type: 'live' };
      await new Promise<void>((resolve) => (greet = resolve));
    }
  }
  const live = openLive({ events } as unknown as Client, null);
  const status = (): Promise<void> =>
    new Promise((resolve) => {
      const stop = live.onStatus(() => {
        stop();
        resolve();
      });
    });
  await status();
  expect(live.status()).toBe('live');
  breakLine();
  expect(live.status()).toBe('lost');
  const back = status();
  greet();
  await back;
  expect(live.status()).toBe('live');
});
