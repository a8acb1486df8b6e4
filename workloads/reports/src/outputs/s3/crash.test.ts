import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { build } from '../../../test/build.ts';
import {
  NAMESPACE,
  PART,
  type S3PlaceToTest,
  closeSharedServer,
  openS3Place,
  readAll,
  sha256,
  sharedServer,
} from '../../../test/places.ts';
import { type StorageLine, openStorageLine } from '../../../test/storage-line.ts';
import { type Running, type Writers, createWriters } from '../../../test/writers.ts';
import type { FinishedOutput } from '../types.ts';

// Processes that write a file in parts and die at every request to a real S3 server, or are frozen there.

let root: string;
let own: string;
let line: StorageLine;
let place: S3PlaceToTest;
let writers: Writers;
beforeAll(async () => {
  build();
  root = await mkdtemp(join(tmpdir(), 'millrace-s3-crash-'));
}, 120_000);
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

async function expectWhole(result: FinishedOutput | null): Promise<void> {
  if (result === null) throw new Error('There is no result.');
  const bytes = await readAll(place.outputs, result.file);
  expect(bytes.equals(writers.wanted)).toBe(true);
  expect(result.sha256).toBe(sha256(writers.wanted));
}

/** The process dies at its nth request: before the storage has heard of it, or before it hears of the answer. */
async function dieAt(nth: number, how: 'before' | 'after'): Promise<void> {
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

test('killed at every request: the next one ends with the same bytes', async () => {
  const { ended, said } = await writers.run();
  expect([ended, said]).toEqual([0, '']);
  await expectWhole(writers.result());
  const requests = [...line.seen];
  expect(requests).toEqual([
    'POST uploads',
    'PUT partNumber',
    'PUT partNumber',
    'POST uploadId',
    'HEAD',
  ]);
  for (let nth = 1; nth <= requests.length; nth++) {
    for (const how of ['before', 'after'] as const) {
      writers.reset();
      await dieAt(nth, how);
      await expectWhole(await writers.finish(place.outputs));
    }
  }
}, 300_000);

test('killed again at every request of going on', async () => {
  await dieAt(3, 'after');
  const before = line.seen.length;
  await writers.run();
  await expectWhole(writers.result());
  const requests = line.seen.slice(before);
  expect(requests.slice(0, 7)).toEqual([
    'HEAD',
    'GET uploadId',
    'POST uploadId',
    'HEAD',
    'POST uploads',
    'PUT copy',
    'GET',
  ]);
  for (let nth = 1; nth <= 7; nth++) {
    // Another upload each time, which nobody has completed yet.
    writers.reset();
    await dieAt(3, 'after');
    await dieAt(nth, nth % 2 === 0 ? 'before' : 'after');
    await expectWhole(await writers.finish(place.outputs));
  }
}, 300_000);

test('frozen before any request, and woken when another has finished: nothing changes', async () => {
  for (const nth of [2, 3, 4, 5]) {
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
}, 300_000);
