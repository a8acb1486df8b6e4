import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { textLines } from '../../../../docx/test/read.ts';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { look, pdfOf } from '../../test/pdf.ts';
import { type World, bytesOf, later, openWorld, template } from '../../test/world.ts';
import type { Erase } from './erase.ts';

describe.each(DATABASES)('erasing someone on %s', (which) => {
  let database: TestDatabase;
  let world: World;
  let erase: Erase;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.reset();
    world = await openWorld(database);
    await world.documents.templates.add({ name: 'letter', bytes: template('Dear {{Name}}') });
    erase = world.documents.erase;
  });
  afterEach(() => world.close());

  const people = [
    { Name: 'Ann', Customer: { Id: 'c/1' } },
    { Name: 'Bob', Customer: { Id: 2 } },
    { Name: 'Ann at work', Customer: { Id: 'c/1' } },
    { Name: 'Nobody' },
  ];
  async function batchOf(rows: readonly object[], settings = {}) {
    const { id, jobId } = await world.documents.batches.create(
      { templateId: 'letter', outputFileName: '{{Name}}', ...settings },
      { rows },
      { subject: '{{Customer.Id}}' },
    );
    return { id, ended: () => world.ended(jobId ?? '') };
  }
  const rowsOf = async (table: string): Promise<number> => {
    const text = `SELECT count(*)::int AS n FROM millrace.document_${table}`;
    const [row] = await world.store.database.query<{ n: number }>({ name: '', text }, []);
    return row?.n ?? -1;
  };
  /** Whether the database still has this word anywhere in what documents keep. */
  const knows = async (word: string): Promise<boolean> => {
    const text = `
SELECT (SELECT count(*) FROM millrace.document_items i WHERE i::text LIKE '%' || $1 || '%')
     + (SELECT count(*) FROM millrace.document_files f WHERE f::text LIKE '%' || $1 || '%')
     + (SELECT count(*) FROM millrace.document_chunks WHERE position(convert_to($1, 'UTF8') IN bytes) > 0) AS n`;
    const [row] = await world.store.database.query<{ n: number }>({ name: '', text }, [word]);
    return Number(row?.n) > 0;
  };

  test('takes their documents and rows, in every batch, and leaves the others', async () => {
    const batch = await batchOf(people, { options: { storeMergedDocx: true } });
    world.startWorker();
    await batch.ended();
    // The queue finds the jobs of the rows by the same name.
    expect(await world.queue.erase('c/1')).toBe(2);
    expect(await knows('Ann')).toBe(true);
    expect(await erase('c/1')).toEqual({ files: 4, rows: 2 });
    expect(await knows('Ann')).toBe(false);
    expect(await knows('c/1')).toBe(false);
    // Bob's PDF and DOCX, and those of the row without a subject.
    expect([await rowsOf('files'), await rowsOf('contents')]).toEqual([4, 4]);
    const { documents } = world;
    expect((await documents.archive(batch.id)).entries).toBe(2);
    const [first] = (await documents.batches.items(batch.id)).items;
    await expect(documents.files.get(first?.fileId ?? '')).rejects.toMatchObject({
      code: 'file_not_found',
    });
    // The same again is made again: nothing is left in the cache.
    const again = { templateId: 'letter', outputFileName: 'x', data: people[0] ?? {} };
    expect((await documents.generate(again)).cached).toBe(false);
    expect(await erase('c/1')).toEqual({ files: 0, rows: 0 });
    expect(await erase('2')).toEqual({ files: 2, rows: 1 });
  });

  test('takes the merged PDF that they are in', async () => {
    world.office.convert = async (docx) => {
      const pdf = await pdfOf(textLines(docx).join('\n'));
      return { pdf, timings: { queueMs: 0, convertMs: 0 } as never };
    };
    const batch = await batchOf(people);
    world.startWorker();
    await batch.ended();
    const { merged } = world.documents.batches;
    const before = await merged(batch.id);
    await erase('c/1');
    await expect(bytesOf(before.read())).rejects.toMatchObject({ code: 'file_not_found' });
    const { pages, outline } = look(await bytesOf((await merged(batch.id)).read()));
    expect(pages).toEqual(['Dear Bob', 'Dear Nobody']);
    expect(outline.map(({ title }) => title)).toEqual(['Bob.pdf', 'Nobody.pdf']);
  });

  test('stops what waits, and what is being made of their rows', async () => {
    const begun = later();
    const erased = later();
    world.office.before = async (text) => {
      if (text !== 'Dear Ann') return;
      begun.resolve();
      await erased.promise;
    };
    const batch = await batchOf(people);
    world.startWorker();
    await begun.promise;
    await erase('c/1');
    erased.resolve();
    await batch.ended();
    const { batches } = world.documents;
    const { items } = await batches.items(batch.id);
    expect(items[0]).toMatchObject({ state: 'CANCELED', error: { code: 'erased' }, fileId: null });
    expect(items[1]).toMatchObject({ state: 'SUCCEEDED' });
    expect(await rowsOf('files')).toBe(2);
    await expect(batches.retry(batch.id)).rejects.toMatchObject({ code: 'nothing_to_retry' });
  });

  test('takes documents by their job, by a record they belong to, and by themselves', async () => {
    const { documents, queue } = world;
    const envelope = { templateId: 'letter', outputFileName: 'x', data: { Name: 'Ann' } };
    const { id } = await queue.enqueue({ kind: 'document', data: envelope, subject: 'ann' });
    world.startWorker();
    await world.ended(id);
    await documents.generate({ ...envelope, parents: { AccountId: 'ann', CaseId: 'case' } });
    await documents.generate({ ...envelope, parents: { CaseId: 'ann' } });
    await documents.generate({ ...envelope, parents: { RecordId: 'ann' } });
    await documents.files.put(Buffer.from('Ann'), { name: 'a.txt', subject: 'ann' });
    await documents.generate({ ...envelope, subject: 'ann' });
    const other = await documents.generate({ ...envelope, parents: { AccountId: 'bob' } });
    expect(await erase('ann')).toEqual({ files: 6, rows: 0 });
    // The bytes are someone else's, too.
    expect([await rowsOf('files'), await rowsOf('contents')]).toEqual([1, 1]);
    expect((await documents.files.get(other.output.id)).name).toBe('x.pdf');
    await erase('bob');
    expect([await rowsOf('files'), await rowsOf('contents')]).toEqual([0, 0]);
  });

  test('does not take a job number for that of a batch', async () => {
    world.office.convert = async () => ({ pdf: await pdfOf('x'), timings: {} as never });
    const batch = await batchOf([{ Name: 'Ann' }]);
    world.startWorker();
    await batch.ended();
    await world.documents.batches.merged(batch.id);
    const seq = batch.id.replace('batch-', '');
    await database.script(`UPDATE millrace.jobs SET subject = 'someone' WHERE seq = ${seq}`);
    expect(await erase('someone')).toEqual({ files: 0, rows: 0 });
  });

  test('goes on until there is nothing left', async () => {
    const rows = Array.from({ length: 1_001 }, (_, n) => ({
      Name: `Ann ${n}`,
      Customer: { Id: 1 },
    }));
    const batch = await batchOf(rows);
    expect(await erase('1')).toEqual({ files: 0, rows: 1_001 });
    expect(await knows('Ann')).toBe(false);
    const { counts } = await world.documents.batches.get(batch.id);
    expect(counts).toMatchObject({ canceled: 1_001, pending: 0 });
  });

  test('is known to whoever makes the jobs of a batch', async () => {
    const batch = await batchOf(people);
    const { upkeep } = world.documents;
    const record = await upkeep.find(batch.id, '');
    if (record === null) throw new Error('There is no batch.');
    const subjects = await upkeep.subjects(record, [1, 2, 4]);
    expect(subjects).toEqual(
      new Map([
        [1, 'c/1'],
        [2, '2'],
      ]),
    );
  });
});
