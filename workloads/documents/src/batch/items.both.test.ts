import { OfficeError } from '@millrace/office';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { envelopeSchema } from '../contract/envelope.ts';
import { type World, execution, later, openWorld, template } from '../../test/world.ts';

// Executions by hand, with epochs of their own: what a worker does that lost its lease without knowing.
describe.each(DATABASES)('an item of a batch on %s', (which) => {
  let database: TestDatabase;
  let world: World;
  let batch: string;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.reset();
    world = await openWorld(database);
    await world.documents.templates.add({ name: 'letter', bytes: template('Dear {{Name}}') });
    const rows = [{ Name: 'Ann' }, { Name: 'Bob' }];
    batch = (await world.documents.batches.create({ templateId: 'letter' }, { rows })).id;
  });
  afterEach(() => world.close());

  const run = (changes: Parameters<typeof execution>[1] & { run?: number } = {}) =>
    world.documents.runItem(...execution({ batch, run: changes.run ?? 1, item: 1 }, changes));
  const item = async () => (await world.documents.batches.items(batch)).items[0];
  const files = async () => (await world.documents.files.list()).items;

  test('is made, with its file', async () => {
    const result = await run({ epoch: 5 });
    const [file] = await files();
    expect(result).toMatchObject({ fileId: file?.id, cached: false });
    expect(file).toMatchObject({ name: 'document-1.pdf', batchId: batch });
    expect(await item()).toMatchObject({ state: 'SUCCEEDED', fileId: file?.id, error: null });
    expect(world.office.calls).toMatchObject([{ lane: 'batch', text: 'Dear Ann' }]);
  });

  test('an execution that comes again changes nothing', async () => {
    const first = await run({ epoch: 5 });
    const again = await run({ epoch: 6 });
    expect(again).toEqual({ fileId: 'fileId' in first ? first.fileId : '', docxFileId: null });
    expect(await files()).toHaveLength(1);
    expect(world.office.calls).toHaveLength(1);
  });

  test('one that lost its lease writes nothing once its successor has begun', async () => {
    const converting = later();
    const successor = later();
    world.office.before = async () => {
      if (world.office.calls.length > 1) return;
      converting.resolve();
      await successor.promise;
    };
    const zombie = run({ epoch: 5 });
    await converting.promise;
    const made = await run({ epoch: 6 });
    successor.resolve();
    expect(await zombie).toEqual({ skipped: true });
    expect(await files()).toMatchObject([{ id: 'fileId' in made ? made.fileId : '' }]);
    expect(await item()).toMatchObject({ state: 'SUCCEEDED' });
  });

  test('nor does its failure show', async () => {
    const converting = later();
    const successor = later();
    world.office.before = async () => {
      if (world.office.calls.length > 1) return;
      converting.resolve();
      await successor.promise;
      throw new OfficeError('conversion_failed', 'No.');
    };
    const zombie = run({ epoch: 5 });
    await converting.promise;
    await run({ epoch: 6 });
    successor.resolve();
    await expect(zombie).rejects.toMatchObject({ code: 'conversion_failed' });
    expect(await item()).toMatchObject({ state: 'SUCCEEDED', error: null });
  });

  test('a late one with a lower epoch does not even begin', async () => {
    world.office.before = () => {
      throw new OfficeError('conversion_timeout', 'Slow.', true);
    };
    await expect(run({ epoch: 6 })).rejects.toThrow('Slow.');
    expect(await run({ epoch: 5 })).toEqual({ skipped: true });
    expect(world.office.calls).toHaveLength(1);
  });

  test('a failure that may pass waits for another try, a final one is the end', async () => {
    world.office.before = () => {
      throw new OfficeError('conversion_timeout', 'Slow.', true);
    };
    await expect(run({ epoch: 5 })).rejects.toMatchObject({
      code: 'conversion_timeout',
      retryable: true,
    });
    expect(await item()).toMatchObject({
      state: 'PENDING',
      error: { code: 'conversion_timeout', message: 'Slow.' },
    });
    await expect(run({ epoch: 6, attempt: 4 })).rejects.toThrow('Slow.');
    expect(await item()).toMatchObject({ state: 'FAILED' });
    // Taken over before it was settled, or retried by hand: it may still come out well.
    world.office.before = () => {};
    await run({ epoch: 7 });
    expect(await item()).toMatchObject({ state: 'SUCCEEDED', error: null });
  });

  test('an aborted one says nothing', async () => {
    const abort = new AbortController();
    world.office.before = (_, signal) => {
      abort.abort(new Error('The job was aborted: shutdown.'));
      signal?.throwIfAborted();
    };
    await expect(run({ epoch: 5, signal: abort.signal })).rejects.toThrow('shutdown');
    expect(await item()).toMatchObject({ state: 'RUNNING', error: null });
    expect(world.told.some((line) => line.startsWith('failed'))).toBe(false);
  });

  test('a canceled batch takes no more, also from those under way', async () => {
    const converting = later();
    const canceled = later();
    world.office.before = async () => {
      converting.resolve();
      await canceled.promise;
    };
    const under = run({ epoch: 5 });
    await converting.promise;
    expect(await world.documents.batches.cancel(batch)).toEqual({ canceled: 2 });
    canceled.resolve();
    expect(await under).toEqual({ skipped: true });
    expect(await run({ epoch: 6 })).toEqual({ skipped: true });
    expect(await item()).toMatchObject({ state: 'CANCELED', fileId: null });
    expect(await files()).toEqual([]);
  });

  test('after a retry of the batch, executions of the run before are shut out', async () => {
    const converting = later();
    const retried = later();
    world.office.before = async () => {
      if (world.office.calls.length > 1) return;
      converting.resolve();
      await retried.promise;
    };
    const old = run({ epoch: 5 });
    await converting.promise;
    await world.documents.batches.cancel(batch);
    expect(await world.documents.batches.retry(batch)).toEqual({ retried: 2 });
    retried.resolve();
    expect(await old).toEqual({ skipped: true });
    expect(await run({ epoch: 9 })).toEqual({ skipped: true });
    expect(await item()).toMatchObject({ state: 'PENDING' });
    // Cancel and retry have each counted the run up.
    await run({ epoch: 7, run: 3 });
    expect(await item()).toMatchObject({ state: 'SUCCEEDED' });
  });

  test('a document by itself that runs again, or twice at once, is one file', async () => {
    const envelope = envelopeSchema.parse({
      templateId: 'letter',
      outputFileName: 'x',
      options: { storeMergedDocx: true },
      data: { Name: 'Ann' },
    });
    const { runOne } = world.documents;
    const both = await Promise.all([
      runOne(...execution(envelope, { epoch: 5 })),
      runOne(...execution(envelope, { epoch: 6 })),
    ]);
    const third = await runOne(...execution(envelope, { epoch: 7 }));
    const [docx, output] = await files();
    for (const each of [...both, third])
      expect(each).toMatchObject({ fileId: output?.id, docxFileId: docx?.id });
    expect(await files()).toHaveLength(2);
  });

  test('another tenant cannot run it', async () => {
    await expect(run({ epoch: 5, tenant: 'acme' })).rejects.toMatchObject({
      code: 'validation_error',
      retryable: false,
    });
    expect(await item()).toMatchObject({ state: 'PENDING' });
  });
});
