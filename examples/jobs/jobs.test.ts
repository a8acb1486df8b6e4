import { cp, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ticksBetween } from '@millrace/engine';
import { createTestQueue } from '@millrace/testkit';
import { createMillrace } from 'millrace';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { need } from '../../scripts/need.mjs';
import { createHarness } from '../../server/test/harness.ts';
import { loadInNode } from '../../server/test/process.ts';
import { startReceiver } from '../../server/test/receiver.ts';
import { testDatabases } from '../../stores/postgres/test/databases.ts';
import { closeTheDay, everyEvening } from './cron.ts';
import { lookUpPrice, lookUpStock, offer, whenBothAreKnown, writeOffer } from './fan-in.ts';
import { confirmOrder, placeOrder } from './transaction.ts';
import { isGenuine, printLabel, ship } from './webhook.ts';

/** Every example does what it says, and loads from a folder that has nothing else. */

await need('build');

const here = import.meta.dirname;
const DAY_MS = 86_400_000;

async function files(): Promise<string[]> {
  return (await readdir(here)).filter((file) => /(?<!\.test)\.ts$/.test(file)).toSorted();
}

it('copied into a folder of jobs, they load', { timeout: 120_000 }, async () => {
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

it('fan-in: the offer follows from both, once', async () => {
  const jobs = [offer, lookUpPrice, lookUpStock, writeOffer];
  const queue = createTestQueue({ jobs, rules: [whenBothAreKnown] });
  for (const article of ['chair', 'bench']) await queue.enqueue(offer, { article });
  await queue.drain();
  expect(queue.jobs(writeOffer).map(({ result }) => result)).toEqual([
    'chair: 50 euros, 5 in stock',
    'bench: 50 euros, 5 in stock',
  ]);
});

it('cron: a job on each evening of a working day, in its own time zone', async () => {
  const friday = Date.parse('2026-03-27T17:29:00Z');
  const jobs = [closeTheDay];
  const queue = createTestQueue({ jobs, schedules: [everyEvening], start: friday });
  await queue.advance('5m');
  expect(queue.runs()).toMatchObject([
    { outcome: 'succeeded', result: 'Berlin is closed for 2026-03-27.' },
  ]);
  // The clocks change on Sunday.
  const { cron, timeZone = '' } = everyEvening;
  const { due } = ticksBetween(cron, timeZone, friday, friday + 3 * DAY_MS);
  expect(due.map((tick) => new Date(tick).toISOString())).toEqual([
    '2026-03-27T17:30:00.000Z',
    '2026-03-30T16:30:00.000Z',
  ]);
});

it('webhook: the end of the label is reported, signed', async () => {
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
