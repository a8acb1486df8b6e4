import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@millrace/api';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { need } from '../../../scripts/need.mjs';
import { startRedis } from '../../../scripts/services.mjs';
import { type TestDatabase, bareDatabase } from '../../../stores/postgres/test/databases.ts';
import { HELLO, SLOW } from '../../test/job-files.ts';
import { type Started, refusedInNode, startMain } from '../../test/process.ts';

/** The process as people run it, with some of its kinds in Redis. */

await need('redis programs');

let database: TestDatabase;
let redis: Awaited<ReturnType<typeof startRedis>>;
let folder: string;

beforeAll(async () => {
  database = await bareDatabase();
  redis = await startRedis({ settings: { appendonly: 'yes' } });
}, 120_000);
afterAll(async () => {
  await redis.remove();
  await database.drop();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-redis-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'jobs'));
  writeFileSync(join(folder, 'jobs', 'hello.ts'), HELLO);
  writeFileSync(join(folder, 'jobs', 'slow.ts'), SLOW);
});

const settings = () => ({
  NODE_ENV: 'development',
  AUTH_BYPASS_DEVELOPMENT: 'true',
  MILLRACE_DOCUMENTS: 'false',
  DATABASE_URL: database.url,
  REDIS_URL: redis.url,
  REDIS_KINDS: 'hello',
  REDIS_PREFIX: 'together',
});

function main(): Started {
  const started = startMain({ PORT: '0', ...settings() }, folder);
  onTestFinished(async () => {
    started.child.kill('SIGKILL');
    await started.ended;
  });
  return started;
}

async function clientOf({ says }: Started) {
  const [, address = ''] = await says(/"address":"([^"]+)"/);
  return { address, client: createClient({ baseUrl: address }) };
}

type Client = ReturnType<typeof createClient>;

async function greeted(client: Client, name: string): Promise<string> {
  const { id } = await client.enqueue({ body: { kind: 'hello', data: { name } } });
  await ends(client, id);
  return id;
}

async function ends(client: Client, id: string): Promise<void> {
  await expect
    .poll(async () => (await client.getJob({ params: { id } })).state, { timeout: 20_000 })
    .toBe('SUCCEEDED');
}

async function redisStatus(client: Client): Promise<string | undefined> {
  const { checks } = await client.readyz();
  return checks.find(({ name }) => name === 'redis')?.status;
}

test('its kinds run there, the others in the database, people see them together, and a restart of Redis ends nothing', async () => {
  const started = main();
  const { client } = await clientOf(started);
  const greeting = await greeted(client, 'Ada');
  expect(greeting).toMatch(/^bull-\d+$/);
  const { id: slow } = await client.enqueue({ body: { kind: 'slow', data: { ms: 1 } } });
  expect(slow).not.toMatch(/^bull-/);
  await ends(client, slow);
  const { jobs } = await client.listJobs({ query: {} });
  expect(new Set(jobs.map(({ id }) => id))).toEqual(new Set([greeting, slow]));
  expect(await redisStatus(client)).toBe('ok');

  await client.pauseKind({ params: { kind: 'hello' } });
  const { id: held } = await client.enqueue({ body: { kind: 'hello', data: { name: 'Bob' } } });
  expect(await client.explainJob({ params: { id: held } })).toMatchObject({
    sentence: expect.stringContaining('paused'),
  });
  await client.resumeKind({ params: { kind: 'hello' } });
  await ends(client, held);

  await redis.stop('immediate');
  await expect.poll(() => redisStatus(client), { timeout: 20_000 }).toBe('degraded');
  await expect(
    client.enqueue({ body: { kind: 'hello', data: { name: 'nobody' } } }),
  ).rejects.toMatchObject({ problem: { status: 503 } });
  const { id } = await client.enqueue({ body: { kind: 'slow', data: { ms: 1 } } });
  await ends(client, id);
  await started.says(/Redis does not answer/);
  await redis.start();
  // Work goes on by itself.
  await expect.poll(() => redisStatus(client), { timeout: 20_000 }).toBe('ok');
  expect(await client.getJob({ params: { id: greeting } })).toMatchObject({ state: 'SUCCEEDED' });
  await greeted(client, 'Carol');
}, 120_000);

test('a Redis that is not there, or cannot do what a kind needs, is reported at the start', async () => {
  mkdirSync(join(folder, 'nightly'));
  writeFileSync(join(folder, 'nightly', 'hello.ts'), HELLO);
  writeFileSync(
    join(folder, 'nightly', 'nightly.ts'),
    `export const nightly = { name: 'nightly', cron: '0 2 * * *', job: { kind: 'hello', data: { name: 'Ada' } } };`,
  );
  const refusals = await refusedInNode(folder, [
    { ...settings(), REDIS_URL: 'redis://:hush-hush@127.0.0.1:1' },
    { ...settings(), REDIS_KINDS: 'hello,nobody' },
    { ...settings(), MILLRACE_JOBS: './nightly' },
  ]);
  expect(refusals).toEqual([
    expect.stringMatching(
      /The Redis at REDIS_URL \(127\.0\.0\.1:1\) cannot be used: .*ECONNREFUSED/,
    ),
    expect.stringContaining('no kind "nobody"'),
    expect.stringContaining('the schedule "nightly" needs schedules'),
  ]);
}, 120_000);
