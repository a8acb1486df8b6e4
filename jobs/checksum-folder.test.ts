import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Chunk, JobContext, Outcome, RunningJob } from '@millrace/engine';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checksumFolder } from './checksum-folder.ts';

/** The handler by itself, as the engine would call it: no store, no worker. */

const home = process.cwd();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-checksum-'));
  process.chdir(folder);
  mkdirSync('files/deep', { recursive: true });
  for (let i = 0; i < 5; i++) writeFileSync(`files/${i}.txt`, `text ${i}`);
  writeFileSync('files/deep/last.txt', '');
});
afterEach(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

const context = { signal: new AbortController().signal } as JobContext;

function begin(cursor: unknown = null, data: object = { folder: 'files', filesPerChunk: 2 }) {
  const job = { id: 'mem-1', data: checksumFolder.input.parse(data), cursor };
  return checksumFolder.run(job as RunningJob<never>, context) as AsyncGenerator<
    Chunk,
    Outcome | void,
    void
  >;
}

/** Everything until it ends: its chunks and its outcome. */
async function finish(run: ReturnType<typeof begin>) {
  const chunks: Chunk[] = [];
  for (;;) {
    const { done, value } = await run.next();
    if (done === true) return { chunks, outcome: value };
    chunks.push(value);
  }
}

function verify(): string {
  return execFileSync('sha256sum', ['-c', '.millrace/checksums/mem-1.sha256'], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

test('writes a manifest that sha256sum agrees with, chunk by chunk', async () => {
  const { chunks, outcome } = await finish(begin());
  expect(chunks.map(({ progress }) => [progress?.done, progress?.total])).toEqual([
    [2, 6],
    [4, 6],
    [6, 6],
  ]);
  expect(outcome).toMatchObject({
    result: { files: 6, manifest: '.millrace/checksums/mem-1.sha256' },
  });
  expect(verify().match(/: OK/g)).toHaveLength(6);
  writeFileSync('files/3.txt', 'changed');
  expect(verify).toThrow(/WARNING/);
});

test('goes on from the saved chunk; what a lost one wrote is cut off', async () => {
  const first = begin();
  const saved = (await first.next()).value as Chunk;
  await first.next(); // written, but the process dies before its cursor is saved
  await first.return(undefined);
  const { chunks } = await finish(begin(saved.cursor));
  expect(chunks.map(({ progress }) => progress?.done)).toEqual([4, 6]);
  expect(verify().match(/: OK/g)).toHaveLength(6);
});

test('starts over when its file was cleaned up in between', async () => {
  const first = begin();
  const saved = (await first.next()).value as Chunk;
  await first.return(undefined);
  await checksumFolder.cleanup(
    { id: 'mem-1', data: { folder: 'files', filesPerChunk: 2 }, cursor: saved.cursor },
    context,
  );
  expect(readdirSync('.millrace/checksums')).toEqual([]);
  const { chunks } = await finish(begin(saved.cursor));
  expect(chunks).toHaveLength(3);
  expect(verify().match(/: OK/g)).toHaveLength(6);
});

test('copes with files that come and go between two executions, and with strange names', async () => {
  const first = begin();
  const saved = (await first.next()).value as Chunk;
  await first.return(undefined);
  rmSync('files/4.txt');
  writeFileSync('files/new\nline\\ü.txt', 'strange');
  const { outcome } = await finish(begin(saved.cursor));
  expect(outcome).toMatchObject({ result: { files: 6 } });
  expect(verify().match(/: OK/g)).toHaveLength(6);
});

test('an empty folder has an empty manifest', async () => {
  mkdirSync('empty');
  const { outcome } = await finish(begin(null, { folder: 'empty' }));
  expect(outcome).toMatchObject({ result: { files: 0 } });
  expect(readFileSync('.millrace/checksums/mem-1.sha256', 'utf8')).toBe('');
});

test.each(['..', '../..', '/etc', 'files/../..', 'link', 'nowhere'])(
  'does not leave the project by %s',
  async (path) => {
    symlinkSync('/etc', 'link');
    await expect(finish(begin(null, { folder: path }))).rejects.toMatchObject({
      code: 'folder_not_found',
      retryable: false,
    });
  },
);

test('leaves out hidden files and what links lead to', async () => {
  symlinkSync('/etc', 'files/link');
  symlinkSync('/etc/passwd', 'files/passwd');
  writeFileSync('files/.env', 'SECRET=1');
  mkdirSync('files/node_modules');
  writeFileSync('files/node_modules/x.js', '');
  expect((await finish(begin())).outcome).toMatchObject({ result: { files: 6 } });
});

test('ends when it is asked to', async () => {
  const abort = new AbortController();
  abort.abort();
  const job = { id: 'mem-1', data: { folder: 'files', filesPerChunk: 2 }, cursor: null };
  const run = checksumFolder.run(job as RunningJob<never>, { signal: abort.signal } as JobContext);
  await expect(finish(run as ReturnType<typeof begin>)).rejects.toThrow(/abort/i);
  expect(existsSync('.millrace/checksums/mem-1.sha256')).toBe(false);
});
