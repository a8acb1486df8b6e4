import { createHash } from 'node:crypto';
import type { Step, Who } from '@millrace/workload-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../stores/postgres/test/stores.ts';
import { type World, openWorld, template } from '../test/world.ts';
import { documentsStep } from './step.ts';

/** Batches as steps of pipelines. */

const ANN: Who = {
  tenant: '',
  submitter: 'ann',
  roles: ['member'],
  claims: {},
  correlationId: 'pipe-7',
};
const signal = new AbortController().signal;

describe.each(DATABASES)('a batch of a pipeline on %s', (which) => {
  let database: TestDatabase;
  let world: World;
  let step: Step;
  let rows: Record<string, unknown>[];
  let reads: number;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.reset();
    world = await openWorld(database);
    await world.documents.templates.add({ name: 'letter', bytes: template('Dear {{Name}}') });
    rows = [{ Name: 'Ann' }, { Name: 'Ben' }];
    reads = 0;
    const query = {
      async *rows() {
        reads += 1;
        yield* rows;
      },
    } as unknown as Step;
    step = documentsStep(world.documents, (name) => (name === 'query' ? query : undefined));
  });
  afterEach(() => world.close());

  const INPUT = { template: 'letter', rows: { step: 'query', id: 'run-1' }, format: 'DOCX' };
  const start = async (key: string, input: object = {}) =>
    (await step.start({ input: { ...INPUT, ...input }, who: ANN, key, signal })).id;
  const retry = async (id: string, input: object = {}) =>
    step.retry?.(id, ANN, { ...INPUT, ...input });
  const look = (id: string, input: object = {}) => step.look(id, ANN, { ...INPUT, ...input });
  const over = async (id: string) => {
    world.startWorker();
    await world.ended((await world.documents.batches.get(id)).jobId ?? '');
  };
  const beside = (name: string, text: string) => {
    const bytes = template(text);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { name, sha256, read: async () => bytes };
  };
  const gathered = async (id: string) => {
    const found: unknown[] = [];
    for await (const row of step.rows?.(id, ANN, signal) ?? []) found.push(row);
    return found;
  };

  test('makes a document of each row, with what the pipeline adds, and tells what became of them', async () => {
    await world.documents.templates.add({
      name: 'letter',
      bytes: template('{{Name}} in {{Month}}'),
    });
    const id = await start('k1', { name: '{{Name}}', data: { Month: 'May' } });
    const batch = await world.documents.batches.get(id);
    expect(batch).toMatchObject({ submitter: 'ann', correlationId: 'pipe-7', total: 2 });
    expect(await look(id)).toEqual({ state: 'running', progress: { done: 0, total: 2 } });
    await over(id);
    expect(await look(id)).toEqual({
      state: 'done',
      output: { total: 2, succeeded: 2, failed: 0, batchId: id },
    });
    expect(await gathered(id)).toMatchObject([
      {
        Name: 'Ann',
        Month: 'May',
        documentNumber: 1,
        documentName: 'Ann.docx',
        documentState: 'SUCCEEDED',
      },
      { Name: 'Ben', documentNumber: 2, documentName: 'Ben.docx', documentError: null },
    ]);
    expect(await step.file?.(id, ANN, signal)).toMatchObject({ name: `${id}.zip` });
    expect(step.link?.(id)).toBe(`/batches/${id}`);
  });

  test('the same key makes one batch; one whose rows never all came is made from the start', async () => {
    const id = await start('k1');
    expect(await start('k1')).toBe(id);
    expect(await start('k2')).not.toBe(id);
    await world.documents.batches.cancel(id);
    expect(await start('k1')).toBe(id);
    // As a process leaves it that ended while the rows came.
    await database.script(
      `UPDATE millrace.document_batches SET state = 'LOADING' WHERE key = 'k2'`,
    );
    const again = await start('k2');
    const all = await world.documents.batches.list();
    expect(all.items.map((batch) => batch.id)).toEqual([again, id]);
    expect((await world.documents.batches.get(again)).total).toBe(2);
  });

  test('one whose process ended before its job gets the job when it is asked for again', async () => {
    const id = await start('k1');
    await database.script(
      `DELETE FROM millrace.keys; UPDATE millrace.document_batches SET job = NULL`,
    );
    await world.queue.cancelWhere({ kind: 'document.batch' });
    expect(await start('k1')).toBe(id);
    await over(id);
    expect(await look(id)).toMatchObject({ state: 'done', output: { succeeded: 2 } });
  });

  test('no rows are no documents and no batch', async () => {
    rows = [];
    const id = await start('k1');
    expect(await look(id)).toEqual({
      state: 'done',
      output: { total: 0, succeeded: 0, failed: 0, batchId: null },
    });
    expect((await world.documents.batches.list()).items).toEqual([]);
    expect(await gathered(id)).toEqual([]);
    expect(await step.retry?.(id, ANN, INPUT)).toBe(false);
    await step.cancel(id, ANN);
  });

  test('what was corrected in the file is begun from the start, and a template in the file too', async () => {
    rows = [{}];
    const wrong = { strict: true, template: beside('a.docx', '{{Name}}') };
    const id = await start('k1', wrong);
    await over(id);
    for (const change of [
      { strict: false },
      { name: 'Letter {{Name}}' },
      { template: beside('a.docx', 'Dear customer') },
      { template: 'letter' },
    ])
      expect(await retry(id, { ...wrong, ...change })).toBe(false);
    expect(await retry(id, { ...wrong, failedRows: 'continue' })).toBe(true);
  });

  test('rows that fail end the step, unless the file says otherwise; they are tried again, or corrected', async () => {
    rows = [{ Name: 'Ann' }, {}];
    const strict = { strict: true };
    const id = await start('k1', strict);
    await over(id);
    expect(await look(id)).toMatchObject({ state: 'failed', error: { code: 'documents_failed' } });
    expect(await look(id, { failedRows: 'continue' })).toMatchObject({
      state: 'done',
      output: { total: 2, succeeded: 1, failed: 1 },
    });
    expect(await gathered(id)).toMatchObject([{}, { documentState: 'FAILED', documentName: null }]);
    expect(await retry(id, strict)).toBe(true);
    // As after an execution that was lost: it is being tried already.
    expect(await retry(id, strict)).toBe(true);
    await world.ended((await world.documents.batches.get(id)).jobId ?? '');
    await world.documents.batches.correct(id, { rows: [{ 'millrace line': 2, Name: 'Ben' }] });
    await world.ended((await world.documents.batches.get(id)).jobId ?? '');
    expect(await look(id)).toMatchObject({ state: 'done', output: { succeeded: 2 } });
    expect(await retry(id, strict)).toBe(false);
    expect(reads).toBe(1);
  });

  test('a template may lie beside the pipeline: it is added once, under a name of its own', async () => {
    const file = {
      name: 'letter.docx',
      sha256: 'x',
      read: async () => template('Hello {{Name}}'),
    };
    await start('k1', { template: file });
    await start('k2', { template: file });
    const { items } = await world.documents.templates.list();
    expect(items.map(({ name, version }) => [name, version])).toEqual([
      ['letter', 1],
      ['pipeline:letter', 1],
    ]);
  });

  test('what is cancelled has failed for the pipeline; a batch of somebody else is none', async () => {
    const id = await start('k1');
    const bob = { ...ANN, submitter: 'bob' };
    await expect(step.look(id, bob, INPUT)).rejects.toMatchObject({ code: 'batch_not_found' });
    await expect(step.look(id, { ...ANN, tenant: 'acme' }, INPUT)).rejects.toMatchObject({
      code: 'batch_not_found',
    });
    await step.cancel(id, bob);
    expect(await look(id)).toMatchObject({ state: 'running' });
    await step.cancel(id, ANN);
    await step.cancel(id, ANN);
    expect(await look(id)).toMatchObject({ state: 'failed', error: { code: 'batch_canceled' } });
  });

  test('what cannot be begun is refused for good', async () => {
    const refused = (code: string) => ({ name: 'JobFailure', code, retryable: false });
    await expect(start('k1', { template: 'nobodys' })).rejects.toMatchObject(
      refused('template_not_found'),
    );
    await expect(start('k1', { rows: { step: 'email', id: 'x' } })).rejects.toMatchObject(
      refused('rows_missing'),
    );
  });
});
