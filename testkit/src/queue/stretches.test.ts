import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RETRY, defineJob, done } from '@millrace/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { runJob } from './run-job.ts';
import { createTestQueue } from './test-queue.ts';

const input = z.object({});

describe('a handler that does something real', () => {
  it('is waited for, and no virtual time passes', async () => {
    const server = createServer((_, response) => void setImmediate(() => response.end('pong')));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const real = defineJob({
      kind: 'real',
      input,
      timeout: '1s',
      async *run() {
        const text = await readFile(import.meta.filename, 'utf8');
        yield { cursor: text.length };
        const answer = await fetch(`http://127.0.0.1:${port}`);
        return done(await answer.text());
      },
    });
    const queue = createTestQueue({ jobs: [real] });
    await queue.enqueue(real, {});
    expect(await queue.drain()).toMatchObject([{ outcome: 'succeeded', result: 'pong' }]);
    expect(queue.now()).toEqual(new Date('2026-01-01T00:00:00Z'));
  });

  it('and does not end, is named', async () => {
    const stuck = defineJob({ kind: 'stuck', input, run: () => new Promise(() => {}) });
    await expect(runJob(stuck, {}, { patience: '20ms' })).rejects.toMatchObject({
      code: 'handler_stuck',
      message: expect.stringMatching(
        /^The handler of "stuck" \(mem-1\) has run for 0.02 s of real time without an end/,
      ) as string,
    });
  });
});

describe('a fake that sleeps on the clock of the queue', () => {
  it('lets time pass: leases are renewed meanwhile', async () => {
    const slow = defineJob({
      kind: 'slow',
      input,
      timeout: '2h',
      async run(_, { signal }) {
        await queue.sleep('20m', { signal });
        return done(queue.now().toISOString());
      },
    });
    const queue = createTestQueue({ jobs: [slow] });
    await queue.enqueue(slow, {});
    expect(await queue.drain()).toMatchObject([{ result: '2026-01-01T00:20:00.000Z' }]);
    expect(queue.runs()).toHaveLength(1);
  });

  it('is ended by the timeout of its kind', async () => {
    const hangs = defineJob({
      kind: 'hangs',
      input,
      retry: RETRY.never,
      timeout: '5m',
      run: (_, { signal }) => queue.sleep(Infinity, { signal }),
    });
    const queue = createTestQueue({ jobs: [hangs] });
    await queue.enqueue(hangs, {});
    expect(await queue.drain()).toMatchObject([
      { outcome: 'failed', failure: { code: 'timeout' } },
    ]);
  });

  it('is ended by a cancel, and a handler that does not listen is left behind', async () => {
    for (const listens of [true, false]) {
      const hangs = defineJob({
        kind: 'hangs',
        input,
        timeout: '1d',
        run: (_, { signal }) => queue.sleep(Infinity, listens ? { signal } : {}),
      });
      const queue = createTestQueue({ jobs: [hangs] });
      const { id } = await queue.enqueue(hangs, {});
      await queue.advance('1m');
      expect(queue.job(id).state).toBe('PROCESSING');
      await queue.cancel(id);
      expect((await queue.drain(), queue.runs())).toMatchObject([{ outcome: 'canceled' }]);
    }
  });

  it('saves progress while it sleeps', async () => {
    const slow = defineJob({
      kind: 'slow',
      input,
      async run(_, { progress }) {
        progress({ done: 1, total: 2 });
        await queue.sleep('5s');
        return done();
      },
    });
    const queue = createTestQueue({ jobs: [slow] });
    const { id } = await queue.enqueue(slow, {});
    await queue.advance('3s');
    expect(queue.job(id).progress).toEqual({ done: 1, total: 2 });
  });
});
