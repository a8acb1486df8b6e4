import { cp, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Chunk,
  type JobContext,
  type Outcome,
  type RunningJob,
  ticksBetween,
} from '@millrace/engine';
import { createMillrace } from 'millrace';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createWorld } from '../../engine/test/world.ts';
import { createHarness } from '../../server/test/harness.ts';
import { build, loadInNode } from '../../server/test/process.ts';
import { startReceiver } from '../../server/test/receiver.ts';
import { testDatabases } from '../../stores/postgres/test/databases.ts';
import { countPrimes } from './chunks.ts';
import { closeTheDay, everyEvening } from './cron.ts';
import { lookUpPrice, lookUpStock, offer, whenBothAreKnown, writeOffer } from './fan-in.ts';
import { confirmOrder, placeOrder } from './transaction.ts';
import { isGenuine, printLabel, ship } from './webhook.ts';

/** Every example does what it says, and loads from a folder that has nothing else. */

const here = import.meta.dirname;
const DAY_MS = 86_400_000;

async function files(): Promise<string[]> {
  return (await readdir(here)).filter((file) => /(?<!\.test)\.ts$/.test(file)).toSorted();
}

it('copied into a folder of jobs, they load', { timeout: 120_000 }, async () => {
  build();
  const folder = await mkdtemp(join(tmpdir(), 'millrace-examples-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const file of await files()) await cp(join(here, file), join(folder, file));
  const { output, loaded } = await loadInNode(folder);
  expect(loaded, output).toEqual({
    kinds: expect.arrayContaining(['count-primes', 'offer', 'ship', 'confirm-order']) as string[],
    rules: ['write-offer-when-both-are-known'],
    schedules: ['close-the-day-in-berlin'],
    idle: [],
  });
});

it('are all in the README, and the README in the tutorial', async () => {
  const readme = await readFile(join(here, 'README.md'), 'utf8');
  const listed = [...readme.matchAll(/^\| \[(\S+\.ts)\]\((\S+)\)/gm)];
  expect(listed.map(([, name = '']) => name).toSorted()).toEqual(await files());
  for (const [, name, target] of listed) expect(target).toBe(name);
  const tutorial = await readFile(join(here, '../../docs/first-job.md'), 'utf8');
  expect(tutorial).toContain('](../examples/jobs/README.md)');
  for (const file of await files()) expect(tutorial).toContain(`](../examples/jobs/${file})`);
});

it('chunks: the primes are the same after an interruption', async () => {
  const begin = (cursor: unknown) =>
    countPrimes.run(
      { data: { upTo: 10_000 }, cursor } as RunningJob<{ upTo: number }>,
      {} as JobContext,
    ) as AsyncGenerator<Chunk, Outcome | void, void>;
  const first = begin(null);
  await first.next();
  const { value: saved } = await first.next();
  await first.next(); // this chunk is lost with its process
  const second = begin((saved as Chunk).cursor);
  let step = await second.next();
  expect(step.value).toMatchObject({ progress: { done: 3_001, total: 10_000 } });
  while (step.done !== true) step = await second.next();
  expect(step.value).toMatchObject({ result: { primes: 1_229 } });

  const { worker, enqueue, run, job } = createWorld({ kinds: [countPrimes] });
  const id = await enqueue({ kind: 'count-primes', data: { upTo: 10_000 } });
  worker.start();
  await run(60_000);
  expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', result: '{"primes":1229}' });
});

it('fan-in: the offer follows from both, once', async () => {
  const kinds = [offer, lookUpPrice, lookUpStock, writeOffer];
  const { worker, enqueue, run, all } = createWorld({ kinds, rules: [whenBothAreKnown] });
  for (const article of ['chair', 'bench']) await enqueue({ kind: 'offer', data: { article } });
  worker.start();
  await run(60_000);
  const offers = await all('write-offer');
  expect(offers.map(({ result }) => JSON.parse(result ?? '') as string).toSorted()).toEqual([
    'bench: 50 euros, 5 in stock',
    'chair: 50 euros, 5 in stock',
  ]);
});

it('cron: a job on each evening of a working day, in its own time zone', async () => {
  const friday = Date.parse('2026-03-27T17:29:00Z');
  const { worker, run, all } = createWorld({
    kinds: [closeTheDay],
    worker: { schedules: [everyEvening] },
    start: friday,
  });
  worker.start();
  await run(5 * 60_000);
  expect(await all('close-the-day')).toMatchObject([
    { state: 'SUCCEEDED', result: '"Berlin is closed for 2026-03-27."' },
  ]);
  // The clocks change on Sunday.
  const { cron, timeZone = '' } = everyEvening;
  const { due } = ticksBetween(cron, timeZone, friday, friday + 3 * DAY_MS);
  expect(due.map((tick) => new Date(tick).toISOString())).toEqual([
    '2026-03-27T17:30:00.000Z',
    '2026-03-30T16:30:00.000Z',
  ]);
});

it('webhook: the end of the label is told, signed', async () => {
  const receiver = await startReceiver(() => ({}));
  const secret = Buffer.alloc(32, 7);
  const { store, worker, client, next, close } = createHarness({
    kinds: [ship, printLabel],
    webhook: { secret, allow: [{ host: 'localhost', port: receiver.port }] },
  });
  onTestFinished(async () => {
    await close();
    await receiver.close();
  });
  const told = next('job.succeeded', ({ kind }) => kind === 'millrace.webhook');
  const tell = `http://localhost:${receiver.port}/hook`;
  await client.enqueue({ body: { kind: 'ship', data: { order: 7, tell } } });
  worker.start();
  await told;
  const [message, ...others] = receiver.received;
  expect(others).toEqual([]);
  const { headers = {}, body = '' } = message ?? {};
  expect(JSON.parse(body)).toMatchObject({
    kind: 'print-label',
    state: 'SUCCEEDED',
    result: { label: 'PARCEL-7' },
  });
  const text = `whsec_${secret.toString('base64')}`;
  expect(isGenuine(headers, body, text)).toBe(true);
  expect(isGenuine(headers, `${body} `, text)).toBe(false);
  expect((await store.list({ filter: { kind: 'ship' }, limit: 10 })).jobs).toHaveLength(1);
});

it('transaction: the order and its job are both there, or neither is', async () => {
  const databases = await testDatabases();
  const database = await databases.create();
  const millrace = await createMillrace({ database: database.url, jobs: [confirmOrder] });
  const client = new pg.Client(database.url);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await millrace.stop();
    await database.drop();
    await databases.remove();
  });
  // Whether an article is there already is judged only by the commit, when the job has been enqueued.
  await client.query(
    'CREATE TABLE orders (id serial PRIMARY KEY, article text UNIQUE DEFERRABLE INITIALLY DEFERRED)',
  );

  const id = await placeOrder(client, millrace, 'chair');
  expect(await millrace.get(id)).toMatchObject({ kind: 'confirm-order', data: { order: 1 } });
  await expect(placeOrder(client, millrace, 'chair')).rejects.toThrow(/unique/);
  expect((await client.query('SELECT id FROM orders')).rows).toEqual([{ id: 1 }]);
  expect((await millrace.list()).jobs).toMatchObject([{ id }]);
});
