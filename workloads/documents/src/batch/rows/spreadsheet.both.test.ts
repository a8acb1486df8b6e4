import PizZip from 'pizzip';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../../stores/postgres/test/stores.ts';
import { row, workbook } from '../../../test/workbook.ts';
import { type World, bytesOf, openWorld, template } from '../../../test/world.ts';
import type { Batch, BatchSettingsInput, RowSource } from '../../index.ts';

/** A person with a Word file and a spreadsheet. */
describe.each(DATABASES)('a batch of a spreadsheet on %s', (which) => {
  let database: TestDatabase;
  let world: World;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.reset();
    world = await openWorld(database);
  });
  afterEach(() => world.close());

  const offer = (...paragraphs: string[]) =>
    world.documents.templates.add({ name: 'offer', bytes: template(...paragraphs) });
  const csv = (text: string): RowSource => ({ format: 'csv', bytes: Buffer.from(text) });
  const create = (
    source: RowSource,
    settings: Partial<BatchSettingsInput> = {},
    context = {},
  ): Promise<Batch> =>
    world.documents.batches.create({ templateId: 'offer', ...settings }, source, context);
  const finish = async ({ id }: Pick<Batch, 'id'>): Promise<Batch> => {
    const { jobId } = await world.documents.batches.get(id);
    await world.ended(jobId ?? '');
    return world.documents.batches.get(id);
  };
  const texts = () => world.office.calls.map(({ text }) => text).toSorted();
  const failedFile = async ({ id }: Batch) => {
    const { name, mediaType, read } = await world.documents.batches.failed(id);
    return { name, mediaType, text: (await bytesOf(read())).toString() };
  };

  describe('header and template', () => {
    test.each<[string, string[], string, object, string | null]>([
      [
        'a field misspelt',
        ['Dear {{Candidate.Nmae}}'],
        'Candidate.Name\nAnn\n',
        {},
        'Candidate.Nmae → Candidate.Name?',
      ],
      ['another case', ['{{name}}'], 'Name\nAnn\n', {}, 'name → Name?'],
      [
        'a field that nothing is like',
        ['{{Name}} {{Salary}}'],
        'Name\nAnn\n',
        {},
        'asks for Salary, which no column',
      ],
      [
        'a name of documents',
        ['{{Name}}'],
        'Name\nAnn\n',
        { outputFileName: 'To {{Nane}}' },
        'The name of the documents names Nane → Name?',
      ],
      [
        'a list',
        ['{{#each Lines}}{{Text}}{{/each}}{{Name}}'],
        'Name\nAnn\n',
        {},
        'a cell holds no list',
      ],
      [
        'a list in a cell',
        ['{{#each Name}}{{this}}{{/each}}'],
        'Name\nAnn\n',
        {},
        'a cell holds no list',
      ],
      [
        'a condition misspelt',
        ['{{#if Manager}}x{{/if}}{{Name}}'],
        'Name,Mnaager\nAnn,y\n',
        {},
        'Manager → Mnaager?',
      ],
      [
        'a field that is only tested',
        ['{{#if Note}}{{Note}}{{/if}}{{Name}}'],
        'Name\nAnn\n',
        {},
        null,
      ],
      ['a field with a default', ['{{default Note "-"}}{{Name}}'], 'Name\nAnn\n', {}, null],
      [
        'an object that is tested',
        ['{{#if Boss}}{{Boss.Name}}{{/if}}{{Name}}'],
        'Name\nAnn\n',
        {},
        null,
      ],
      ['a column that nobody asks for', ['{{Name}}'], 'Name,Shoe size\nAnn,39\n', {}, null],
      ['a field in an object', ['{{#if A}}{{A.B}}{{/if}}'], 'A.B\nAnn\n', {}, null],
      [
        'anything that is allowed',
        ['{{Salary}}{{Name}}'],
        'Name\nAnn\n',
        { allowMissing: true, outputFileName: '{{X}}' },
        null,
      ],
    ])('%s', async (_, paragraphs, text, settings, sentence) => {
      await offer(...paragraphs);
      const made = create(csv(text), settings);
      if (sentence === null) expect((await made).total).toBe(1);
      else {
        await expect(made).rejects.toMatchObject({
          code: 'missing_columns',
          message: expect.stringContaining(sentence),
        });
        expect((await world.documents.batches.list()).items).toEqual([]);
      }
    });

    test('a name of documents with a column as people write it', async () => {
      await offer('{{[Nr.]}}');
      const made = await create(csv('Nr.,1. Rate\n7,5\n'), {
        outputFileName: '{{Nr.}} {{1. Rate}}',
      });
      expect(made.total).toBe(1);
    });

    test('a title above the table, or another sheet', async () => {
      await offer('{{Name}} {{Pay}}');
      const bytes = workbook({ sheets: { Mai: row(1, 'Offers') + row(2, 'Name', 'Pay') } });
      await expect(create({ format: 'xlsx', bytes })).rejects.toThrow(
        'The first row of the sheet "Mai" has one cell only, "Offers": if that is a title, remove it, so that the first row names the columns. Another sheet is chosen with --sheet. Correct the name, or leave such fields empty with --allow-missing (allowMissing=true).',
      );
    });

    test('a subject that no column has, which nobody could erase by', async () => {
      await offer('{{Name}}');
      const made = create(csv('Name,CustomerId\nAnn,7\n'), {}, { subject: '{{CustomerID}}' });
      await expect(made).rejects.toThrow('The subject names CustomerID → CustomerId?');
    });

    test('JSON rows say for themselves; strict is for each', async () => {
      await offer('{{Name}} {{Salary}}');
      const jsonl = '{"Name":"Ann"}\n{"Name":"Bob","Salary":5}\n';
      const source = { format: 'jsonl', bytes: Buffer.from(jsonl) } as const;
      world.startWorker();
      expect((await finish(await create(source))).counts).toMatchObject({ succeeded: 2 });
      const strict = await finish(await create(source, { options: { strict: true } }));
      expect(strict.counts).toMatchObject({ succeeded: 1, failed: 1 });
    });
  });

  test('a template misspelt', async () => {
    await offer('x');
    await expect(create(csv('a\n1\n'), { templateId: 'ofer' })).rejects.toThrow(
      'Did you mean "offer"?',
    );
  });

  test('numbers and dates are read by the locale, and what cannot be read is its row’s error', async () => {
    await offer('{{Name}} {{currency Pay "EUR"}} {{date Day "long"}}');
    const text =
      'Name;Pay;Day\nAnn;1.234,50;16.11.2026\nBob;1234.50;16.11.2026\nEve;5;11/16/2026\n';
    world.startWorker();
    const done = await finish(await create(csv(text), { locale: 'de-DE' }));
    expect(done.counts).toMatchObject({ succeeded: 1, failed: 2 });
    expect(texts()).toEqual(['Ann 1.234,50 € 16. November 2026'.replace(' €', '\u00a0€')]);
    const { items } = await world.documents.batches.items(done.id, { state: 'FAILED' });
    expect(items.map(({ error }) => error?.message)).toEqual([
      expect.stringContaining('"1234.50" cannot be read as a number'),
      expect.stringContaining('"11/16/2026" cannot be read as a date'),
    ]);
    // The file may be written in another way than the documents.
    world.office.calls.length = 0;
    const other = csv('Name,Pay,Day\nAnn,1234.50,2026-11-16\n');
    const settings = { locale: 'de-DE', options: { dataLocale: 'en-US' } };
    expect((await finish(await create(other, settings))).counts.failed).toBe(0);
    await expect(create(other, { locale: 'german!' })).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringMatching(/de-DE\.$/),
    });
  });

  test('a row of totals is reported, and with strict is no letter', async () => {
    await offer(
      'Dear {{Name}}, {{number Pay}}{{#if Note}} {{Note}}{{/if}}{{default Town "-"}}{{#if Pay}}{{Sum}}{{/if}}',
    );
    const text = 'Name,Pay,Note,Town,Sum\nAnn,1,,,1\n  ,3,,,\nTotal,,,,4\n';
    world.startWorker();
    const loose = await finish(await create(csv(text)));
    expect(loose.counts).toMatchObject({ succeeded: 3, failed: 0, warned: 2 });
    const { items } = await world.documents.batches.items(loose.id);
    expect(items.map(({ warning }) => warning)).toEqual([
      null,
      'The row has nothing for Name.',
      'The row has nothing for Pay.',
    ]);
    const strict = await finish(await create(csv(text), { options: { strict: true } }));
    expect(strict.counts).toMatchObject({ succeeded: 1, failed: 2, warned: 0 });
    const { items: failed } = await world.documents.batches.items(strict.id, { state: 'FAILED' });
    expect(failed[0]?.error?.message).toBe('The data has no "Name". The data has no "Sum".');
    // What no column has is left empty where that was allowed, and a cell has to be filled all the same.
    const without = csv('Name,Note,Town,Sum\nAnn,,,1\n,,,2\n');
    const some = { allowMissing: true, options: { strict: true } };
    const left = await finish(await create(without, some));
    expect(left.counts).toMatchObject({ succeeded: 1, failed: 1 });
  });

  test('an XLSX is a batch like any other', async () => {
    await offer('{{Name}} {{number Pay}} {{date Day "yyyy"}}');
    const rows =
      row(1, 'Name', 'Pay', 'Day') +
      row(2, 'Ann', 1234.5, '< s="1"><v>46342</v></c>') +
      row(3, 'Bob', '< t="e"><v>#N/A</v></c>');
    const bytes = workbook({ sheets: { A: rows }, formats: ['yyyy-mm-dd'] });
    world.startWorker();
    const done = await finish(await create({ format: 'xlsx', bytes }, { locale: 'de-DE' }));
    expect(done).toMatchObject({
      counts: { succeeded: 1, failed: 1 },
      source: { format: 'xlsx', sheet: 'A', columns: ['Name', 'Pay', 'Day'], rows: 2 },
    });
    expect(texts()).toEqual(['Ann 1.234,5 2026']);
    // Its numbers come back as a German spreadsheet program writes them.
    expect((await failedFile(done)).text).toBe(
      '\ufeffmillrace line;millrace error;Name;Pay;Day\r\n3;Cell B3: it shows the error #N/A.;Bob;#N/A;\r\n',
    );
  });

  test('a preview is the first rows, and reads the others without making them', async () => {
    await offer('{{Name}}');
    const rows = Array.from({ length: 700 }, (_, n) => `P${n}`).join('\n');
    const batch = await create(csv(`Name\n\n${rows}\n`), { preview: 2 });
    expect(batch).toMatchObject({
      total: 2,
      settings: { preview: 2 },
      source: { rows: 700, blank: 1 },
    });
    world.startWorker();
    await finish(batch);
    expect(texts()).toEqual(['P0', 'P1']);
  });

  describe('failed rows', () => {
    const text = 'Name;Pay;\nAnn;1,5;\nBob;"a;b\nc";\nCarla;2;x\nDan\nEve;3;\n';
    const start = async () => {
      await offer('{{Name}} {{number Pay}}');
      world.startWorker();
      return finish(await create(csv(text), { locale: 'de-DE' }, { subject: 'id-{{Name}}' }));
    };

    test('come back as a file with their columns, and are corrected in the same batch', async () => {
      const batch = await start();
      expect(batch.counts).toMatchObject({ succeeded: 2, failed: 3 });
      const { text: file, ...facts } = await failedFile(batch);
      expect(facts).toEqual({ name: `${batch.id}-failed.csv`, mediaType: 'text/csv' });
      expect(file.split('\r\n')).toEqual([
        '\ufeffmillrace line;millrace error;Name;Pay;',
        expect.stringMatching(/^3;"Pay: ""a;b.*cannot be read as a number.*;Bob;"a;b\nc";$/s),
        '5;"""x"" stands in column C, which has no name in the first row.";Carla;2;x',
        '6;The row has 1 cells, the first row 3.;Dan;;',
        '',
      ]);
      const fixed = file
        .replace(';Bob;"a;b\nc"', ';Bob;7')
        .replace('Carla;2;x', 'Carla;2;')
        .replace(/6;The row.*\r\n/, '');
      const correct = (bytes: string) =>
        world.documents.batches.correct(batch.id, { format: 'csv', bytes: Buffer.from(bytes) });
      expect(await correct(fixed)).toEqual({ retried: 2 });
      const done = await finish(batch);
      expect(done.counts).toMatchObject({ succeeded: 4, failed: 1 });
      expect(texts()).toEqual(['Ann 1,5', 'Bob 7', 'Carla 2', 'Eve 3'].toSorted());
      const { items } = await world.documents.batches.items(batch.id);
      expect(items.map(({ line, state }) => `${line} ${state}`)).toEqual([
        '2 SUCCEEDED',
        '3 SUCCEEDED',
        '5 SUCCEEDED',
        '6 FAILED',
        '7 SUCCEEDED',
      ]);
      // Those that are made already are not made again.
      await expect(correct(fixed)).rejects.toThrow(`Line 3 is no failed row of ${batch.id}`);
      expect((await world.documents.batches.get(batch.id)).state).toBe('FINISHED');
    });

    test('keep their types on the way out and back, and corrected numbers of an XLSX are numbers', async () => {
      await offer('{{Name}} {{Rate}} {{#if Bonus}}yes{{else}}no{{/if}} {{Code}} {{date Day}}');
      const cells = (line: number, name: string, day: string) =>
        row(line, name, 1234.5, 0, '007', day);
      const rows =
        row(1, 'Name', 'Rate', 'Bonus', 'Code', 'Day') +
        cells(2, 'Ann', '2026-11-16') +
        cells(3, 'Bob', 'soon') +
        cells(4, 'Eve', '< t="e"><v>#N/A</v></c>');
      world.startWorker();
      const bytes = workbook({ sheets: { A: rows } });
      const batch = await finish(await create({ format: 'xlsx', bytes }, { locale: 'de-DE' }));
      const { text: file } = await failedFile(batch);
      expect(file).toContain(';Bob;1234,5;0;007;soon\r\n');
      const fixed = file
        .replace(';soon', ';2026-11-16')
        .replace(';Eve;1234,5;0;007;#N/A', ';Eve;2345,6;0;008;2026-11-16');
      await world.documents.batches.correct(batch.id, csv(fixed));
      expect((await finish(batch)).counts).toMatchObject({ succeeded: 3, failed: 0 });
      expect(texts()).toEqual([
        'Ann 1234.5 no 007 16.11.2026',
        'Bob 1234.5 no 007 16.11.2026',
        'Eve 2345.6 no 008 16.11.2026',
      ]);
    });

    test('that JSON corrects keep what it leaves out', async () => {
      const batch = await start();
      const fixed = Buffer.from('{"millrace line":3,"Pay":7}\n');
      await world.documents.batches.correct(batch.id, { format: 'jsonl', bytes: fixed });
      await finish(batch);
      expect(texts()).toContain('Bob 7');
    });

    test('with a column less are refused, also where the template could do without', async () => {
      await offer('{{Name}} {{number Pay}}{{#if Note}} {{Note}}{{/if}}');
      world.startWorker();
      const batch = await finish(await create(csv('Name,Pay,Note\nBob,x,urgent\n')));
      const made = world.documents.batches.correct(
        batch.id,
        csv('millrace line,Name,Pay\n2,Bob,1\n'),
      );
      await expect(made).rejects.toMatchObject({
        code: 'missing_columns',
        message: expect.stringContaining('lacks the column "Note" of the batch'),
      });
      expect(await world.documents.batches.get(batch.id)).toEqual(batch);
    });

    test.each([
      ['no number', 'Name;Pay\nBob;1\n', 'does not say in "millrace line"'],
      ['a line twice', 'millrace line;Name;Pay\n3;Bob;1\n3;Bob;2\n', 'Line 3 is corrected twice'],
      ['a column less', 'millrace line;Name\n3;Bob\n', 'asks for Pay'],
      ['nothing that can be read', 'millrace line;Name;Pay\n3;Bob\n', 'No row can be read. Line 2'],
      ['no row', 'millrace line;Name;Pay\n', 'There are no rows'],
    ])('refuses %s, and changes nothing', async (_, bytes, sentence) => {
      const batch = await start();
      const made = world.documents.batches.correct(batch.id, csv(bytes));
      await expect(made).rejects.toThrow(sentence);
      expect(await world.documents.batches.get(batch.id)).toEqual(batch);
    });

    test('are forgotten with whom they are about', async () => {
      const batch = await start();
      await world.documents.erase('id-Carla');
      const { text: file } = await failedFile(batch);
      expect(file).toContain('Dan');
      expect(file).not.toContain('Carla');
    });

    test('of JSON are JSON Lines', async () => {
      await offer('{{number Pay}}');
      world.startWorker();
      const rows = [{ Pay: 'much' }, { Pay: 1 }];
      const options = { options: { strict: true } };
      const batch = await finish(await create({ rows }, options));
      const { text: file, mediaType } = await failedFile(batch);
      expect(mediaType).toBe('application/x-ndjson');
      expect(JSON.parse(file)).toEqual({
        'millrace line': 1,
        'millrace error': expect.stringContaining('"much" cannot be read as a number'),
        Pay: 'much',
      });
      const fixed = { format: 'jsonl', bytes: Buffer.from(file.replace('"much"', '5')) } as const;
      expect(await world.documents.batches.correct(batch.id, fixed)).toEqual({ retried: 1 });
      expect((await finish(batch)).counts).toMatchObject({ succeeded: 2, failed: 0 });
    });
  });

  test('the files of a ZIP have the date of the batch’s end, the same in every part of it', async () => {
    await offer('{{Name}}');
    world.startWorker();
    const batch = await finish(await create(csv('Name\nAnn\n'), { timezone: 'Asia/Tokyo' }));
    const archive = await world.documents.archive(batch.id);
    const whole = await bytesOf(archive.read());
    const [file] = Object.values(new PizZip(whole).files);
    const tokyo = new Date((batch.finishedAt ?? 0) + 9 * 3_600_000).toISOString().slice(0, 10);
    const { date } = file ?? {};
    expect(date && [date.getFullYear(), date.getMonth() + 1, date.getDate()]).toEqual(
      tokyo.split('-').map(Number),
    );
    const again = await world.documents.archive(batch.id);
    expect(again.etag).toBe(archive.etag);
    expect(await bytesOf(again.read({ from: 5, to: archive.size }))).toEqual(whole.subarray(5));
  });
});
