import { cpSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  callsOf,
  deaths,
  dieAt,
  freezeAt,
  own,
  reset,
  useCrashes,
  writers,
} from '../../../test/crash-local.ts';

useCrashes();

// At every call to the disk; crash.test.ts takes one of each kind.

test('killed at every call: the next one ends with the same bytes', async () => {
  const calls = await callsOf();
  expect(calls.filter((name) => name === 'write')).toHaveLength(3);
  expect(calls.filter((name) => name === 'datasync')).toHaveLength(4);
  for (const death of deaths(calls)) {
    reset();
    await dieAt(death);
  }
}, 300_000);

test('killed again at every call of going on', async () => {
  const calls = await callsOf();
  reset();
  // In the second chunk: one is saved.
  const second = calls.indexOf('write', calls.indexOf('write') + 1) + 1;
  expect((await writers.run({ call: second, how: 'half' })).ended).toBe('SIGKILL');
  const state = `${own}-state`;
  cpSync(own, state, { recursive: true });
  const again = await callsOf();
  expect(again).toContain('read');
  for (const death of deaths(again)) {
    reset();
    cpSync(state, own, { recursive: true });
    await dieAt(death);
  }
}, 300_000);

test('frozen at any call, and woken when another has finished: nothing changes', async () => {
  const calls = await callsOf();
  for (let call = 2; call <= calls.length; call += 4) await freezeAt(call);
}, 300_000);
