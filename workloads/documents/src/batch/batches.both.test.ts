import { OfficeError } from '@millrace/office';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { clockAheadBy } from '../../../../stores/postgres/test/databases.ts';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { type World, bytesOf, later, openWorld, template } from '../../test/world.ts';
import { type Batch, documentKinds } from '../index.ts';

describe.each(DATABASES)('batches on %s', (which) => {
  let database: TestDatabase;
  let world: World;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.reset();
    world = await openWorld(database, { maxRows: 2_000 });
    await world.documents.templates.add({ name: 'letter', bytes: template('Dear {{A.Name}}') });
  });
  afterEach(() => world.close());

  const people = (...names: string[]) => names.map((Name) => ({ A: { Name } }));
  const create = (rows: unknown[], settings = {}, context = {}): Promise<Batch> =>
    world.documents.batches.create({ templateId: 'letter', ...settings }, { rows }, context);
  const finish = async ({ id }: { id: string }): Promise<Batch> => {
    const { jobId } = await world.documents.batches.get(id);
    await world.ended(jobId ?? '');
    return world.documents.batches.get(id);
  };
  const itemsOf = async ({ id }: Batch) => (await world.documents.batches.items(id)).items;
  const jobsOf = async (kind = 'document') =>
    (await world.queue.list({ filter: { kind }, limit: 1_000 })).jobs;

  test('rows become documents, with progress, under one correlation id', async () => {
    const names = Array.from({ length: 450 }, (_, n) => `P${n}`);
    const batch = await create(people(...names), {}, { correlationId: 'c1', submitter: 'ann' });
    expect(batch).toMatchObject({
      state: 'RUNNING',
      total: 450,
      counts: { pending: 450, succeeded: 0 },
      correlationId: 'c1',
    });
    world.startWorker();
    const done = await finish(batch);
    expect(done).toMatchObject({ state: 'FINISHED', counts: { succeeded: 450, pending: 0 } });
    const jobs = await jobsOf();
    expect(jobs).toHaveLength(450);
    expect(new Set(jobs.map((job) => job.correlationId))).toEqual(new Set(['c1']));
    expect(new Set(jobs.map((job) => job.submitter))).toEqual(new Set(['ann']));
    const job = await world.queue.get(done.jobId ?? '');
    expect(job).toMatchObject({ state: 'SUCCEEDED', progress: { done: 450, total: 450 } });
    expect(new Set(world.office.calls.map(({ text }) => text)).size).toBe(450);
  }, 120_000);

  test('previews, few rows and few corrections go before many rows, unless a priority is given', async () => {
    const names = Array.from({ length: 101 }, (_, n) => `P${n}`);
    world.startWorker();
    const prioritiesOf = async (batch: Batch) => {
      await finish(batch);
      const jobs = await jobsOf();
      return new Set(
        jobs
          .filter(({ key }) => key?.startsWith(`millrace:${batch.id}/`))
          .map(({ priority }) => priority),
      );
    };
    const many = await create([...people(...names), 'no row']);
    expect(await prioritiesOf(many)).toEqual(new Set([null]));
    expect(await prioritiesOf(await create(people('Ann')))).toEqual(new Set([0]));
    const preview = await create(people(...names), { preview: 101 });
    expect(await prioritiesOf(preview)).toEqual(new Set([0]));
    const given = await create(people('Ann'), {}, { priority: -5 });
    expect(await prioritiesOf(given)).toEqual(new Set([-5]));
    const fixed = Buffer.from('{"millrace line":102,"A":{"Name":"Eve"}}');
    await world.documents.batches.correct(many.id, { format: 'jsonl', bytes: fixed });
    expect(await prioritiesOf(many)).toEqual(new Set([null, 0]));
  });

  test('a document that lacks something says so with its row, and is counted', async () => {
    const batch = await create(people('Ann', '請'));
    world.office.before = (text) => {
      world.office.found = text.includes('請') ? { missingCharacters: ['請'] } : {};
    };
    world.startWorker();
    const done = await finish(batch);
    expect(done.counts).toMatchObject({ succeeded: 2, warned: 1 });
    const { items } = await world.documents.batches.items(batch.id, { warned: 'true' });
    expect(items).toMatchObject([
      { item: 2, state: 'SUCCEEDED', error: null, warning: expect.stringContaining('U+8ACB') },
    ]);
  });

  test('rows of CSV, some of them bad', async () => {
    const csv = 'A.Name;Note\nAnn;x\nBob\n"Car\nla";y\n';
    const { id } = await world.documents.batches.create(
      { templateId: 'letter', outputFileName: 'To {{A.Name}}', outputFormat: 'DOCX' },
      { format: 'csv', bytes: Buffer.from(csv) },
    );
    world.startWorker();
    const batch = await finish({ id });
    expect(batch.counts).toMatchObject({ succeeded: 2, failed: 1 });
    expect(await itemsOf(batch)).toMatchObject([
      { item: 1, line: 2, state: 'SUCCEEDED' },
      { item: 2, line: 3, state: 'FAILED', error: { code: 'invalid_row' } },
      { item: 3, line: 4, state: 'SUCCEEDED' },
    ]);
    const { items } = await world.documents.files.list({ batchId: id });
    expect(items.map(({ name }) => name).toSorted()).toEqual(['To Ann.docx', 'To Carla.docx']);
    // What could not be read cannot be retried.
    await expect(world.documents.batches.retry(id)).rejects.toMatchObject({
      code: 'nothing_to_retry',
    });
    expect((await world.documents.batches.get(id)).state).toBe('FINISHED');
  });

  test('a row whose name is too long or no text fails at once, and the batch ends', async () => {
    const batch = await create(people('x'.repeat(501), 'a\u0000b', 'Ann'), {
      outputFileName: '{{A.Name}}',
    });
    world.startWorker();
    expect(await finish(batch)).toMatchObject({
      state: 'FINISHED',
      counts: { succeeded: 1, failed: 2 },
    });
    const failed = {
      state: 'FAILED',
      error: { code: 'validation_error', message: expect.stringContaining('outputFileName') },
    };
    expect(await itemsOf(batch)).toMatchObject([failed, failed, { state: 'SUCCEEDED' }]);
    expect((await jobsOf()).map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  });

  test('failed rows come back by their bytes, all of them', async () => {
    const long = 'x'.repeat(4_000_000);
    const rows = Array.from({ length: 6 }, (_, n) => ({ A: { Name: long }, No: n }));
    const batch = await create(rows, { outputFileName: '{{A.Name}}' });
    world.startWorker();
    await finish(batch);
    const sizes: number[] = [];
    const lines: unknown[] = [];
    for await (const chunk of (await world.documents.batches.failed(batch.id)).read()) {
      sizes.push(chunk.length);
      for (const line of Buffer.from(chunk).toString().trim().split('\n'))
        lines.push((JSON.parse(line) as { No: number }).No);
    }
    expect(lines).toEqual([0, 1, 2, 3, 4, 5]);
    expect(Math.max(...sizes)).toBeLessThan(15_000_000);
  });

  test('one that fails holds nobody back, and can be retried', async () => {
    world.office.before = (text) => {
      if (text.includes('Bob')) throw new OfficeError('conversion_failed', 'Bob breaks it.');
    };
    const batch = await create(people('Ann', 'Bob', 'Carl'));
    world.startWorker();
    expect((await finish(batch)).counts).toMatchObject({ succeeded: 2, failed: 1 });
    const { items } = await world.documents.batches.items(batch.id, { state: 'FAILED' });
    expect(items).toMatchObject([
      { item: 2, error: { code: 'conversion_failed', message: 'Bob breaks it.' } },
    ]);
    const failed = `failed conversion_failed ${batch.settings.templateId} batch`;
    await vi.waitFor(() => expect(world.told).toContain(failed));
    world.office.before = () => {};
    expect(await world.documents.batches.retry(batch.id)).toEqual({ retried: 1 });
    expect(await finish(batch)).toMatchObject({ state: 'FINISHED', counts: { succeeded: 3 } });
    expect(await jobsOf()).toHaveLength(4);
  });

  test('a batch whose job begins again makes no document twice', async () => {
    const batch = await create(people('Ann', 'Bob'));
    world.startWorker();
    await finish(batch);
    const { id } = await world.queue.enqueue({
      kind: 'document.batch',
      data: { batch: batch.id, run: 1 },
    });
    await world.ended(id);
    expect(await jobsOf()).toHaveLength(2);
    expect((await world.queue.get(id))?.result).toContain('over');
  });

  test('cancel ends what waits and what runs', async () => {
    const converting = later();
    world.office.before = (_, signal) =>
      new Promise((_resolve, reject) => {
        converting.resolve();
        if (signal?.aborted === true) reject(signal.reason as Error);
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const batch = await create(people(...Array.from({ length: 30 }, (_, n) => `P${n}`)));
    world.startWorker();
    await converting.promise;
    const other = await world.queue.enqueue({
      kind: 'document',
      data: { templateId: 'letter', outputFileName: 'x', data: {} },
      correlationId: batch.correlationId,
      key: 'batch-999/1/1',
      delay: '1h',
    });
    expect(await world.documents.batches.cancel(batch.id)).toEqual({ canceled: 30 });
    await finish(batch);
    const after = await world.documents.batches.get(batch.id);
    expect(after).toMatchObject({ state: 'CANCELED', counts: { canceled: 30 } });
    for (const job of await jobsOf())
      if (job.id !== other.id) {
        await world.ended(job.id);
        // One that began between the two, items first and jobs then, finds its item canceled and makes nothing.
        const { state, result } = (await world.queue.get(job.id)) ?? {};
        expect(state === 'SUCCEEDED' ? result : state).toMatch(/^(CANCELED|\{"skipped": ?true\})$/);
      }
    // It shares the correlation id, but is no item of the batch.
    expect((await world.queue.get(other.id))?.state).toBe('QUEUED');
    expect((await world.documents.files.list()).items).toEqual([]);
    world.office.before = () => {};
    expect(await world.documents.batches.retry(batch.id)).toEqual({ retried: 30 });
    expect(await finish(batch)).toMatchObject({ state: 'FINISHED', counts: { succeeded: 30 } });
    await expect(world.documents.batches.cancel(batch.id)).rejects.toMatchObject({
      code: 'batch_finished',
    });
  });

  test('an item whose job ended without its handler is noticed', async () => {
    const converting = later();
    const free = later();
    world.office.before = async (text) => {
      if (!text.includes('Ann')) return;
      converting.resolve();
      await free.promise;
    };
    const batch = await create(people('Ann', 'Bob'));
    await world.store.control.pause({ kind: 'document', by: null });
    world.startWorker();
    // Both wait for their kind: canceled by hand, Bob's handler never runs.
    const bob = await waitFor(async () =>
      (await jobsOf()).find((job) => job.key === `millrace:${batch.id}/1/2`),
    );
    await world.queue.cancel([bob.id]);
    await world.store.control.resume({ kind: 'document' });
    await converting.promise;
    free.resolve();
    expect((await finish(batch)).counts).toMatchObject({ succeeded: 1, canceled: 1 });
    expect((await itemsOf(batch))[1]).toMatchObject({ error: { code: 'canceled' } });
  });

  test('one ZIP: every document once, with unique names, its length and any part of it', async () => {
    const batch = await create(people('Ann', 'Ann', 'Bob'), { outputFileName: 'To {{A.Name}}' });
    await expect(world.documents.archive(batch.id)).rejects.toMatchObject({
      code: 'batch_not_finished',
    });
    world.startWorker();
    await finish(batch);
    const zip = await world.documents.archive(batch.id);
    const whole = await bytesOf(zip.read());
    expect(whole.length).toBe(zip.size);
    expect(unzipped(whole)).toEqual({
      'To Ann.pdf': '%PDF Dear Ann',
      'To Ann (2).pdf': '%PDF Dear Ann',
      'To Bob.pdf': '%PDF Dear Bob',
    });
    const again = await world.documents.archive(batch.id);
    expect(again.etag).toBe(zip.etag);
    for (let from = 0; from < zip.size; from += 37) {
      const range = { from, to: Math.min(zip.size, from + 90) };
      expect(await bytesOf(again.read(range))).toEqual(whole.subarray(range.from, range.to));
    }
    expect(() => zip.read({ from: 0, to: zip.size + 1 })).toThrow(/bytes/);
    await expect(world.documents.archive('batch-99')).rejects.toMatchObject({
      code: 'batch_not_found',
    });
  });

  test.each<[string, () => Promise<unknown>, string]>([
    ['no rows', () => create([]), 'invalid_rows'],
    ['a template that is not there', () => create([{}], { templateId: 'x' }), 'template_not_found'],
    ['settings that do not fit', () => create([{}], { format: 'PDF' }), 'validation_error'],
    ['a NUL', () => create([{}], { templateId: 'a\u0000' }), 'validation_error'],
    ['a priority that is none', () => create([{}], {}, { priority: 1e6 }), 'invalid_priority'],
    ['too many rows', () => create(Array.from({ length: 2_001 }, () => ({}))), 'too_many_rows'],
  ])('refuses %s and leaves nothing', async (_, act, code) => {
    await expect(act()).rejects.toMatchObject({ code });
    expect((await world.documents.batches.list()).items).toEqual([]);
    expect(await jobsOf('document.batch')).toEqual([]);
  });

  test('a password is used, and not shown', async () => {
    const batch = await create(people('Ann'), { pdf: { password: 'secret', pdfUa: true } });
    expect(batch.settings.pdf).toEqual({ pdfUa: true });
    const [row] = await world.store.database.query<{ settings: string }>(
      { name: 'test_settings', text: 'SELECT settings::text FROM millrace.document_batches' },
      [],
    );
    expect(row?.settings).toContain('"password": "sealed:');
    expect(row?.settings).not.toContain('secret');
    world.startWorker();
    await finish(batch);
    expect(world.office.calls[0]?.pdf).toEqual({ password: 'secret', pdfUa: true });
  });

  test('the password of a job of its own is used, and is not in the database', async () => {
    const data = {
      templateId: 'letter',
      outputFileName: 'Letter',
      data: { A: { Name: 'Ann' } },
      pdf: { password: 'secret' },
    };
    const { id } = await world.queue.enqueue({ kind: 'document', data }, { fromOutside: true });
    const payload = (await world.queue.get(id))?.payload;
    expect(payload).toMatch(/"password": ?"sealed:/);
    expect(payload).not.toContain('secret');
    world.startWorker();
    await world.ended(id);
    expect(world.office.calls[0]?.pdf).toEqual({ password: 'secret' });
  });

  test('tenants do not see each other, and lists are paged', async () => {
    for (let n = 0; n < 3; n++) await create(people('Ann'));
    const { batches, templates } = world.documents;
    await templates.add({ name: 'letter', bytes: template('x'), tenant: 'acme' });
    const theirs = await create(people('Ann'), {}, { tenant: 'acme' });
    const first = await batches.list({ limit: 2 });
    expect(first.items).toHaveLength(2);
    expect((await batches.list({ limit: 2, cursor: first.next ?? '' })).items).toHaveLength(1);
    for (const read of [batches.get, batches.items, batches.cancel, batches.retry])
      await expect(read(theirs.id)).rejects.toMatchObject({ code: 'batch_not_found' });
    await expect(batches.retry(first.items[0]?.id ?? '')).rejects.toMatchObject({
      code: 'batch_not_finished',
    });
  });

  test('the sweep restores a job that has gone missing, and removes what is over', async () => {
    const batch = await create(people('Ann'));
    await world.queue.cancel([batch.jobId ?? '']);
    await database.script(clockAheadBy(2 * 60_000));
    expect(await world.documents.sweep.runOnce()).toMatchObject({ checked: 1 });
    const restored = await world.documents.batches.get(batch.id);
    expect(restored.jobId).not.toBe(batch.jobId);
    world.startWorker();
    expect((await finish(batch)).state).toBe('FINISHED');
    await database.script(clockAheadBy(8 * 86_400_000));
    expect(await world.documents.sweep.runOnce()).toMatchObject({ batches: 1, files: 1 });
    await expect(world.documents.batches.get(batch.id)).rejects.toMatchObject({
      code: 'batch_not_found',
    });
  });

  test('a document by itself runs as a job too', async () => {
    const { id } = await world.queue.enqueue(
      {
        kind: 'document',
        data: { templateId: 'letter', outputFileName: 'a', data: { A: { Name: 'Ann' } } },
        correlationId: 'c9',
      },
      { fromOutside: true },
    );
    const missing = await world.queue.enqueue({
      kind: 'document',
      data: { templateId: 'gone', outputFileName: 'a', data: {} },
    });
    world.startWorker();
    await Promise.all([world.ended(id), world.ended(missing.id)]);
    const [file] = (await world.documents.files.list()).items;
    expect(file).toMatchObject({ name: 'a.pdf', correlationId: 'c9' });
    const job = await world.queue.get(id);
    expect(job?.state).toBe('SUCCEEDED');
    expect(JSON.parse(job?.result ?? '')).toMatchObject({ fileId: file?.id, cached: false });
    expect(await world.queue.get(missing.id)).toMatchObject({
      state: 'FAILED',
      attempt: 1,
      error: { code: 'template_not_found', retryable: false },
    });
    await expect(
      world.queue.enqueue({ kind: 'document', data: { templateId: 'letter', data: {} } }),
    ).rejects.toThrow(/outputFileName/);
    await expect(
      world.queue.enqueue({ kind: 'document.batch', data: {} }, { fromOutside: true }),
    ).rejects.toMatchObject({ code: 'kind_not_public' });
  });
});

test('the kinds can be described', () => {
  const kinds = documentKinds();
  expect(kinds.map(({ kind }) => kind)).toEqual(['document', 'document.batch']);
  expect(kinds.map(({ maxAttempts }) => maxAttempts)).toEqual([4, 4]);
  for (const { input } of kinds)
    expect(z.toJSONSchema(input, { io: 'input' })).toBeTypeOf('object');
});

/** Until it is there: asks again after each turn of the event loop, without a timer. */
async function waitFor<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
  }
}

/** By another's program. */
function unzipped(zip: Buffer): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-zip-'));
  try {
    const path = join(folder, 'a.zip');
    writeFileSync(path, zip);
    execFileSync('unzip', ['-tq', path]);
    const names = execFileSync('unzip', ['-Z1', path], { encoding: 'utf8' }).trim().split('\n');
    return Object.fromEntries(
      names.map((name) => [name, execFileSync('unzip', ['-p', path, name], { encoding: 'utf8' })]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
