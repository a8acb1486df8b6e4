import { mkdirSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { readAll, sha256 } from './places.ts';
import { type Interruption, type Writers, createWriters, stopped } from './writers.ts';
import { createOutputs } from '../src/outputs/outputs.ts';
import type { FinishedOutput, Outputs } from '../src/outputs/types.ts';

// Processes that write a file in three chunks and die at a call to the disk, or are frozen there: for the test files that call `useCrashes`.

let root: string;
export let own: string;
let folder: string;
export let outputs: Outputs;
export let writers: Writers;
let rounds = 0;

export function useCrashes(): void {
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'millrace-crash-'));
  });
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
}

export function reset(): void {
  writers.reset();
  rmSync(folder, { recursive: true, force: true });
}

export async function expectWhole(result: FinishedOutput | null): Promise<void> {
  if (result === null) throw new Error('There is no result.');
  const bytes = await readAll(outputs, result.file);
  expect(bytes.equals(writers.wanted)).toBe(true);
  expect(result.sha256).toBe(sha256(writers.wanted));
}

/** Every way to die in a run with these calls. */
export function deaths(calls: readonly string[]): Interruption[] {
  return calls.flatMap((name, index): Interruption[] => {
    const call = index + 1;
    const before: Interruption = { call, how: 'before' };
    if (name === 'write') return [before, { call, how: 'half' }];
    // Before the cursor is saved, too: the next call comes after that.
    return name === 'stat' ? [before, { call, how: 'after' }] : [before];
  });
}

/** The calls to the disk of a run that nobody disturbs. */
export async function callsOf(): Promise<readonly string[]> {
  const { ended, said } = await writers.run();
  expect([ended, said]).toEqual([0, '']);
  await expectWhole(writers.result());
  return writers.result()?.calls ?? [];
}

/** The process dies, and another goes on from what it has left. */
export async function dieAt(death: Interruption): Promise<void> {
  expect((await writers.run(death)).ended).toBe('SIGKILL');
  await expectWhole(await writers.finish(outputs));
}

/** The process is frozen at a call, and woken when another has finished: nothing changes. */
export async function freezeAt(call: number): Promise<void> {
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
