import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import {
  NAMESPACE,
  PART,
  type S3PlaceToTest,
  closeSharedServer,
  openS3Place,
  readAll,
  sha256,
  sharedServer,
} from './places.ts';
import { type StorageLine, openStorageLine } from './storage-line.ts';
import { type Running, type Writers, createWriters } from './writers.ts';
import type { FinishedOutput } from '../src/outputs/types.ts';

// Processes that write a file in parts and die at a request to a real S3 server, or are frozen there: for the test files that call `useCrashes`.

let root: string;
let own: string;
export let line: StorageLine;
export let place: S3PlaceToTest;
export let writers: Writers;

export function useCrashes(): void {
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'millrace-s3-crash-'));
  });
  afterAll(async () => {
    await closeSharedServer();
    await rm(root, { recursive: true });
  });
  beforeEach(async ({ task }) => {
    own = join(root, task.id);
    mkdirSync(own);
    const server = await sharedServer();
    line = await openStorageLine(server.config.endpoint);
    const config = { ...server.config, prefix: `crash-${task.id}` };
    place = await openS3Place((each) => each.open({ prefix: config.prefix }));
    writers = createWriters({
      scratch: own,
      chunks: [1, 2],
      chunkBytes: PART,
      to: {
        s3: { config: { ...config, endpoint: line.url }, namespace: NAMESPACE, partBytes: PART },
      },
    });
  });
  afterEach(() => line.close());
}

export async function expectWhole(result: FinishedOutput | null): Promise<void> {
  if (result === null) throw new Error('There is no result.');
  const bytes = await readAll(place.outputs, result.file);
  expect(bytes.equals(writers.wanted)).toBe(true);
  expect(result.sha256).toBe(sha256(writers.wanted));
}

/** The process dies at its nth request: before the storage has heard of it, or before it hears of the answer. */
export async function dieAt(nth: number, how: 'before' | 'after'): Promise<void> {
  let running: Running | null = null;
  const first = line.seen.length;
  line.onRequest = async (exchange) => {
    if (exchange.nth !== first + nth) return (await exchange.forward()).answer();
    if (how === 'after') await exchange.forward();
    running?.child.kill('SIGKILL');
  };
  running = writers.start();
  expect((await running.ended).ended).toBe('SIGKILL');
  line.onRequest = null;
}

/** The process is frozen before its nth request, and woken when another has finished: nothing changes. */
export async function freezeAt(nth: number): Promise<void> {
  writers.reset();
  const first = line.seen.length;
  let running: Running | null = null;
  let wake = (): void => {};
  const frozen = new Promise<void>((reached) => {
    line.onRequest = async (exchange) => {
      if (exchange.nth !== first + nth) return (await exchange.forward()).answer();
      // The request is on its way when the process is frozen, and arrives when it wakes.
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      reached();
      await woken;
      (await exchange.forward()).answer();
    };
  });
  running = writers.start();
  await frozen;
  running.child.kill('SIGSTOP');
  const finished = await writers.finish(place.outputs);
  running.child.kill('SIGCONT');
  wake();
  const { ended, said } = await running.ended;
  expect([ended, said]).toEqual([1, expect.stringMatching(/stale|output_taken/)]);
  expect(writers.result()).toBeNull();
  await expectWhole(finished);
}
