import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { type World, openWorld, template } from '../../test/world.ts';
import type { Batch } from '../index.ts';

/** What a member can do to the batch of another one of the same tenant: nothing. */

describe.each(DATABASES)('somebody else’s batch on %s', (which) => {
  let database: TestDatabase;
  let world: World;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.reset();
    world = await openWorld(database);
    await world.documents.templates.add({ name: 'letter', bytes: template('Dear {{Name}}') });
  });
  afterEach(() => world.close());

  const create = () =>
    world.documents.batches.create(
      { templateId: 'letter' },
      { rows: [{ Name: 'Ann' }] },
      { correlationId: 'c1', submitter: 'ann' },
    );
  const finish = async ({ id, jobId }: Batch): Promise<Batch> => {
    await world.ended(jobId ?? '');
    return world.documents.batches.get(id);
  };
  const envelope = { templateId: 'gone', outputFileName: 'x', data: {} };

  test('an item cannot be enqueued from outside', async () => {
    const { id } = await create();
    const data = { batch: id, run: 1, item: 1 };
    const outside = { fromOutside: true };
    await expect(
      world.queue.enqueue({ kind: 'document', data, submitter: 'bob' }, outside),
    ).rejects.toMatchObject({ code: 'invalid_payload' });
    const own = await world.queue.enqueue(
      { kind: 'document', data: envelope, submitter: 'bob', delay: '1h' },
      outside,
    );
    await world.queue.cancel([own.id]);
    await expect(world.queue.retryWith(own.id, data)).rejects.toMatchObject({
      code: 'invalid_payload',
    });
  });

  test('an item in a job of another submitter is not made; one that was queued before an upgrade is', async () => {
    const { id } = await create();
    const request = {
      kind: 'document',
      data: { batch: id, run: 1, item: 1 },
      correlationId: 'c1',
      priority: 9,
    };
    await world.store.control.pause({ kind: 'document.batch', by: null });
    const strange = await world.queue.enqueue({ ...request, submitter: 'bob' });
    world.startWorker();
    await world.ended(strange.id);
    expect(await world.queue.get(strange.id)).toMatchObject({
      state: 'FAILED',
      error: { code: 'validation_error', message: `There is no batch "${id}".` },
    });
    expect((await world.documents.files.list()).items).toEqual([]);
    const old = await world.queue.enqueue({ ...request, submitter: 'ann', key: `${id}/1/1` });
    await world.ended(old.id);
    expect((await world.queue.get(old.id))?.state).toBe('SUCCEEDED');
    const bobs = await world.documents.files.list({ submitter: 'bob' });
    expect(bobs.items).toEqual([]);
    const { items } = await world.documents.files.list({ submitter: 'ann' });
    expect(items).toMatchObject([{ batchId: id }]);
  });

  test('is made though others guessed and took the keys that its jobs once had', async () => {
    const next = Number((await create()).id.replace('batch-', '')) + 1;
    await world.queue.enqueue(
      {
        kind: 'document',
        data: envelope,
        key: `batch-${next}/1/1`,
        correlationId: 'c1',
        submitter: 'bob',
        delay: '1h',
      },
      { fromOutside: true },
    );
    const batch = await create();
    expect(batch.id).toBe(`batch-${next}`);
    world.startWorker();
    expect(await finish(batch)).toMatchObject({ state: 'FINISHED', counts: { succeeded: 1 } });
  });

  test('neither ends by the end of another’s job, nor cancels it', async () => {
    const batch = await create();
    const other = {
      kind: 'document',
      data: envelope,
      correlationId: 'c1',
      submitter: 'bob',
      delay: '1h',
    } as const;
    const { id } = await world.queue.enqueue(
      { ...other, key: `${batch.id}/1/1` },
      { fromOutside: true },
    );
    await world.documents.batches.cancel(batch.id);
    expect((await world.queue.get(id))?.state).toBe('QUEUED');
  });
});
