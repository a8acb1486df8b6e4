import { createClient } from '@millrace/api';
import { expect, it } from 'vitest';
import { BYPASS, addressOf, main, useFolder } from '../../server/test/main.ts';
import { useDatabases } from './databases.ts';
import { fail, greet } from './kinds.ts';
import { open } from './open.ts';

useFolder();

// An app and a server on one database. The server knows none of the app's kinds.

const { fresh } = useDatabases();

it('a server shows the jobs of an app and acts on them', { timeout: 60_000 }, async () => {
  const { url, pool } = await fresh();
  const started = main({ ...BYPASS, DATABASE_URL: url });
  const app = await open({ database: pool, jobs: [greet, fail], name: 'shop' });
  const client = createClient({ baseUrl: await addressOf(started) });

  const { id } = await app.enqueue(greet, { name: 'Ada' });
  const params = { id };
  expect(await client.getJob({ params })).toMatchObject({ kind: 'greet', data: { name: 'Ada' } });
  expect((await client.listJobs({ query: { kind: 'greet' } })).jobs).toMatchObject([params]);
  expect((await client.getFamily({ params })).nodes).toMatchObject([params]);
  expect(await client.explainJob({ params })).toMatchObject({ reason: 'no_worker' });
  await expect(client.enqueue({ body: { kind: 'greet', data: { name: 'Bea' } } })).rejects.toThrow(
    'kind "greet"',
  );

  await client.cancelJob({ params });
  expect((await app.get(id))?.state).toBe('CANCELED');
  await client.retryJob({ params });
  await app.pauseKind(greet);
  await app.start();
  expect(await client.explainJob({ params })).toMatchObject({ reason: 'kind_paused' });

  // Whoever watches sees each change as it happens.
  const seen: string[] = [];
  for await (const event of client.events({ query: { topics: 'job', kind: 'greet' } })) {
    if (event.type === 'live') await client.resumeKind({ params: { kind: 'greet' } });
    if (event.type === 'job') seen.push(event.job.state);
    if (seen.at(-1) === 'SUCCEEDED') break;
  }
  expect(seen.at(-1)).toBe('SUCCEEDED');
  expect((await client.getJob({ params })).result).toBe('Good morning, Ada.');

  const failed = await app.enqueue(fail, { why: 'because' });
  await app.finished(failed.id);
  expect(await client.errorGroups()).toMatchObject({ groups: [{ kind: 'fail', code: 'no' }] });
  await client.pauseKind({ params: { kind: 'greet' } });
  expect(await app.resumeKind(greet)).toBe(true);

  const worker = app.status().id;
  const { replicas } = await client.listReplicas();
  expect(replicas.find((each) => each.id === worker)).toMatchObject({ state: 'running' });
  await client.pauseReplica({ params: { id: worker } });
  await expect.poll(() => app.status().state, { timeout: 20_000 }).toBe('paused');

  // What it has counted is written at the end, if not before.
  await app.stop();
  const { buckets } = await client.history({ query: { kind: 'greet' } });
  const sum = (count: (bucket: (typeof buckets)[number]) => number) =>
    buckets.reduce((total, bucket) => total + count(bucket), 0);
  expect([sum(({ enqueued }) => enqueued), sum(({ succeeded }) => succeeded)]).toEqual([1, 1]);
});
