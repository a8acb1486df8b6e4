import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { build } from '../../../test/build.ts';
import { readAll, sha256 } from '../../../test/places.ts';
import { type Interruption, type Writers, createWriters, stopped } from '../../../test/writers.ts';
import { createOutputs } from '../outputs.ts';
import type { FinishedOutput, Outputs } from '../types.ts';

// Processes that write a file in three chunks and die at every call to the disk, or are frozen there.

let root: string;
let own: string;
let folder: string;
let outputs: Outputs;
let writers: Writers;
let rounds = 0;
beforeAll(async () => {
  build();
  root = await mkdtemp(join(tmpdir(), 'millrace-crash-'));
}, 120_000);
afterAll(() => rm(root, { recursive: true }));
beforeEach(() => {
  rounds += 1;
  own = join(root, String(rounds));
  folder = join(own, 'reports');
  mkdirSync(own);
  outputs = createOutputs({ folder, s3: null });
  writers = createWriters({
    scratch: own,
    chunks: [1, 2, 3],
    chunkBytes: 10_000,
    to: { folder },
  });
});

function reset(): void {
  writers.reset();
  rmSync(folder, { recursive: true, force: true });
}

async function expectWhole(result: FinishedOutput | null): Promise<void> {
  if (result === null) throw new Error('There is no result.');
  const bytes = await readAll(outputs, result.file);
  expect(bytes.equals(writers.wanted)).toBe(true);
  expect(result.sha256).toBe(sha256(writers.wanted));
}

/** Every way to die in a run with these calls. */
function deaths(calls: readonly string[]): Interruption[] {
  return calls.flatMap((name, index): Interruption[] => {
    const call = index + 1;
    const before: Interruption = { call, how: 'before' };
    if (name === 'write') return [before, { call, how: 'half' }];
    // Before the cursor is saved, too: the next call comes after that.
    return name === 'stat' ? [before, { call, how: 'after' }] : [before];
  });
}

/** The calls to the disk of a run that nobody disturbs. */
async function callsOf(): Promise<readonly string[]> {
  const { ended, said } = await writers.run();
  expect([ended, said]).toEqual([0, '']);
  await expectWhole(writers.result());
  return writers.result()?.calls ?? [];
}

test('killed at every call: the next one ends with the same bytes', async () => {
  const calls = await callsOf();
  expect(calls.filter((name) => name === 'write')).toHaveLength(3);
  expect(calls.filter((name) => name === 'datasync')).toHaveLength(4);
  for (const death of deaths(calls)) {
    reset();
    expect((await writers.run(death)).ended).toBe('SIGKILL');
    await expectWhole(await writers.finish(outputs));
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
  expect(again).toContain('copyFile');
  for (const death of deaths(again)) {
    reset();
    cpSync(state, own, { recursive: true });
    expect((await writers.run(death)).ended).toBe('SIGKILL');
    await expectWhole(await writers.finish(outputs));
  }
}, 300_000);

test('frozen at any call, and woken when another has finished: nothing changes', async () => {
  const calls = await callsOf();
  for (let call = 2; call <= calls.length; call += 4) {
    reset();
    const zombie = writers.start({ call, how: 'stop' });
    await stopped(zombie);
    const finished = await writers.finish(outputs);
    zombie.child.kill('SIGCONT');
    const { ended, said } = await zombie.ended;
    expect([ended, said]).toEqual([1, expect.stringMatching(/stale|output_taken/)]);
    expect(writers.result()).toBeNull();
    await expectWhole(finished);
  }
}, 300_000);
