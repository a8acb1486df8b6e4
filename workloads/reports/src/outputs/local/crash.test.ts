import { expect, test } from 'vitest';
import { callsOf, dieAt, freezeAt, reset, useCrashes, writers } from '../../../test/crash-local.ts';

useCrashes();

// crash.long.test.ts takes every call to the disk.

test('killed within a write, before what is written is safe, and before the end: the next one ends with the same bytes', async () => {
  const calls = await callsOf();
  const write = calls.indexOf('write') + 1;
  for (const death of [
    { call: write, how: 'half' },
    { call: calls.indexOf('datasync', write) + 1, how: 'before' },
    { call: calls.length, how: 'before' },
  ] as const) {
    reset();
    await dieAt(death);
  }
});

test('killed again while it reads what was saved: the next one ends with the same bytes', async () => {
  const calls = await callsOf();
  const second = { call: calls.lastIndexOf('write') + 1, how: 'half' } as const;
  reset();
  expect((await writers.run(second)).ended).toBe('SIGKILL');
  const again = await callsOf();
  reset();
  expect((await writers.run(second)).ended).toBe('SIGKILL');
  await dieAt({ call: again.indexOf('read') + 1, how: 'before' });
});

test('frozen within its work, and woken when another has finished: nothing changes', async () => {
  await freezeAt(6);
});
