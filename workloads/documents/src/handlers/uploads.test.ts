import { expect, test } from 'vitest';
import { createWholeUploads } from './uploads.ts';

const MB = 1_000_000;

function uploadOf(megabytes: number) {
  async function* bytes() {
    for (let n = 0; n < megabytes; n += 10) yield new Uint8Array(10 * MB);
  }
  return { type: 'x', bytes: bytes() };
}

/** XLSX was held whole for as long as it waited for one of two threads, however many came: 60 of 50 MB were 3 GB. */
test('files that are held whole are counted, and one caller has half of the room', async () => {
  const whole = createWholeUploads();
  const ends: (() => void)[] = [];
  const ended: Promise<void>[] = [];
  /** Resolves when the file is held. */
  const hold = (by: string) =>
    new Promise<void>((isHeld) => {
      const use = () =>
        new Promise<void>((end) => {
          ends.push(end);
          isHeld();
        });
      ended.push(whole(uploadOf(50), use, { by }));
    });
  await hold('mallory');
  await hold('mallory');
  await expect(whole(uploadOf(10), async () => 'in', { by: 'mallory' })).rejects.toMatchObject({
    code: 'busy',
    retryable: true,
  });
  expect(await whole(uploadOf(10), async () => 'in', { by: 'ada' })).toBe('in');
  await hold('bob');
  await hold('cleo');
  await expect(whole(uploadOf(10), async () => 'in', { by: 'ada' })).rejects.toMatchObject({
    code: 'busy',
  });
  for (const end of ends) end();
  await Promise.all(ended);
  expect(await whole(uploadOf(10), async () => 'in', { by: 'mallory' })).toBe('in');
});
