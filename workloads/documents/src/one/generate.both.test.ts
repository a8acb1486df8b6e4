import { OfficeError } from '@millrace/office';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { textLines } from '../../../../docx/test/read.ts';
import { clockAheadBy } from '../../../../stores/postgres/test/databases.ts';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { type World, bytesOf, openWorld, template } from '../../test/world.ts';
import type { EnvelopeInput } from '../index.ts';

describe.each(DATABASES)('generate on %s', (which) => {
  let database: TestDatabase;
  let world: World;
  let templateId: string;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.reset();
    world = await openWorld(database);
    const bytes = template('Dear {{Name}}', '{{number Amount decimals=1}}');
    templateId = (await world.documents.templates.add({ name: 'letter', bytes })).template.id;
  });
  afterEach(() => world.close());

  const envelope = (changes: Partial<EnvelopeInput> = {}): EnvelopeInput => ({
    templateId,
    outputFileName: 'Letter to Ann',
    data: { Name: 'Ann', Amount: 2.5 },
    ...changes,
  });

  test('gives the file, where it is kept, and what it took', async () => {
    const { documents, office } = world;
    const made = await documents.generate(
      envelope({
        locale: 'de-DE',
        parents: { AccountId: '001', CaseId: null },
        requestHash: 'h',
        generatedDocumentId: 'a00',
      }),
      { correlationId: 'c1', submitter: 'ann' },
    );
    expect(made).toMatchObject({
      templateId,
      cached: false,
      docx: null,
      output: {
        name: 'Letter to Ann.pdf',
        mediaType: 'application/pdf',
        correlationId: 'c1',
        submitter: 'ann',
        templateId,
        origin: {
          parents: { AccountId: '001', CaseId: null },
          requestHash: 'h',
          generatedDocumentId: 'a00',
        },
      },
      body: { name: 'Letter to Ann.pdf', mediaType: 'application/pdf' },
    });
    const steps = ['template', 'merge', 'wait', 'convert', 'store', 'total'];
    expect(Object.keys(made.timings)).toEqual(steps);
    expect(Buffer.from(await made.body.bytes()).toString()).toBe('%PDF Dear Ann\n2,5');
    const { bytes } = await documents.files.read(made.output.id);
    expect((await bytesOf(bytes)).toString()).toBe('%PDF Dear Ann\n2,5');
    expect(office.calls).toMatchObject([{ lane: 'interactive' }]);
    expect(world.told).toEqual([`miss ${templateId}`, 'made PDF interactive']);
  });

  test('DOCX needs no office', async () => {
    const { documents, office } = world;
    const made = await documents.generate(envelope({ outputFormat: 'DOCX' }));
    expect(made.output.name).toBe('Letter to Ann.docx');
    expect(textLines(await made.body.bytes())).toEqual(['Dear Ann', '2.5']);
    expect(office.calls).toEqual([]);
  });

  test('keeps the DOCX, and answers with it, as the options say', async () => {
    const { documents } = world;
    const both = await documents.generate(
      envelope({ options: { storeMergedDocx: true, returnDocxToBrowser: true } }),
    );
    expect(both.docx?.name).toBe('Letter to Ann.docx');
    expect(both.body.name).toBe('Letter to Ann.docx');
    const kept = await documents.files.read(both.docx?.id ?? '');
    expect(await bytesOf(kept.bytes)).toEqual(Buffer.from(await both.body.bytes()));
    // Not kept, and made again for an answer from the cache.
    const once = envelope({ options: { returnDocxToBrowser: true } });
    await documents.generate(once);
    const again = await documents.generate(once);
    expect(again).toMatchObject({ cached: true, docx: null });
    expect(textLines(await again.body.bytes())).toEqual(['Dear Ann', '2.5']);
  });

  test('strict: a field that the data lacks is an error, though the same was let pass before', async () => {
    const { documents } = world;
    const lacking = { data: { Name: 'Ann' } };
    expect((await documents.generate(envelope(lacking))).cached).toBe(false);
    const strict = envelope({ ...lacking, options: { strict: true } });
    await expect(documents.generate(strict)).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('Amount') as string,
    });
    const whole = envelope({ options: { strict: true } });
    expect((await documents.generate(whole)).output.name).toBe('Letter to Ann.pdf');
  });

  test('the same again is there at once, under its own name', async () => {
    const { documents, office } = world;
    const first = await documents.generate(envelope());
    const again = await documents.generate(
      envelope({ templateId: 'letter', outputFileName: 'x', data: { Amount: 2.5, Name: 'Ann' } }),
    );
    expect(again).toMatchObject({ cached: true, output: { name: 'x.pdf' } });
    expect(again.output.id).not.toBe(first.output.id);
    expect(Buffer.from(await again.body.bytes()).toString()).toBe('%PDF Dear Ann\n2.5');
    expect(office.calls).toHaveLength(1);
  });

  test('what a colleague has made is made again, and nothing tells of it', async () => {
    const { documents, office } = world;
    const by = async (submitter?: string) =>
      (await documents.generate(envelope(), { submitter })).cached;
    expect([await by('ada'), await by('bob'), await by()]).toEqual([false, false, false]);
    expect([await by('ada'), await by('bob'), await by()]).toEqual([true, true, true]);
    expect(office.calls).toHaveLength(3);
  });

  test.each<[string, Partial<EnvelopeInput>]>([
    ['data', { data: { Name: 'Bob', Amount: 2.5 } }],
    ['a locale', { locale: 'de-DE' }],
    ['a time zone', { timezone: 'Europe/Berlin' }],
    ['a format', { outputFormat: 'DOCX' }],
    ['an option', { options: { storeMergedDocx: true } }],
    ['being strict', { options: { strict: true } }],
    ['an option of the PDF', { pdf: { watermark: 'DRAFT' } }],
  ])('other than by %s', async (_, changes) => {
    await world.documents.generate(envelope());
    expect((await world.documents.generate(envelope(changes))).cached).toBe(false);
  });

  test('another office, another template version or another tenant makes it again', async () => {
    const { documents, office } = world;
    await documents.generate(envelope());
    office.version = '24.2';
    expect((await documents.generate(envelope())).cached).toBe(false);
    await documents.templates.add({ name: 'letter', bytes: template('{{Name}}') });
    expect((await documents.generate(envelope({ templateId: 'letter' }))).cached).toBe(false);
    await documents.templates.add({
      name: 'letter',
      bytes: template('Dear {{Name}}', '{{number Amount decimals=1}}'),
      tenant: 'acme',
    });
    const theirs = await documents.generate(envelope({ templateId: 'letter' }), { tenant: 'acme' });
    expect(theirs.cached).toBe(false);
    await expect(documents.files.get(theirs.output.id)).rejects.toMatchObject({
      code: 'file_not_found',
    });
  });

  test('the cache forgets after a day', async () => {
    await world.documents.generate(envelope());
    await database.script(clockAheadBy(24 * 3_600_000));
    expect((await world.documents.generate(envelope())).cached).toBe(false);
  });

  test('options of the PDF reach the office', async () => {
    await world.documents.generate(
      envelope({ pdf: { pdfA: '2b', watermark: 'DRAFT', pageRange: '1-2' } }),
    );
    expect(world.office.calls[0]?.pdf).toEqual({ pdfA: '2b', watermark: 'DRAFT', pages: '1-2' });
  });

  test.each<[string, Partial<EnvelopeInput> & Record<string, unknown>, RegExp]>([
    ['an unknown member', { pasword: 'x' }, /pasword/],
    ['data that is no object', { data: [] as never }, /data/],
    ['a password for a DOCX', { outputFormat: 'DOCX', pdf: { password: 'x' } }, /for PDF/],
    ['a locale that is none', { locale: '??' }, /locale/],
  ])('refuses %s', async (_, changes, words) => {
    const refused = expect(world.documents.generate(envelope(changes))).rejects;
    await refused.toMatchObject({
      code: 'validation_error',
      message: expect.stringMatching(words),
    });
  });

  test('characters without a font are a warning, and such a PDF is not given to the next', async () => {
    const { documents, office } = world;
    office.found = { missingCharacters: ['請', '😀'] };
    const made = await documents.generate(envelope());
    expect(made.warnings).toEqual([expect.stringContaining('請 (U+8ACB), 😀 (U+1F600)')]);
    office.found = {}; // somebody has installed a font
    const again = await documents.generate(envelope());
    expect(again).toMatchObject({ cached: false, warnings: [] });
    expect((await documents.generate(envelope())).cached).toBe(true);
  });

  test('a document has its name when it is made; one that prints it is made for each name', async () => {
    const { documents, office } = world;
    office.found = { printsName: true };
    await documents.generate(envelope({ outputFileName: 'Invoice 7' }));
    const other = await documents.generate(envelope({ outputFileName: 'Invoice 8' }));
    expect(other.cached).toBe(false);
    expect(office.calls.map(({ name }) => name)).toEqual(['Invoice 7.pdf', 'Invoice 8.pdf']);
  });

  test('failures have a reason, and count', async () => {
    const { documents, office, told } = world;
    await expect(documents.generate(envelope({ templateId: 'tpl-99' }))).rejects.toMatchObject({
      code: 'template_not_found',
    });
    office.before = () => {
      throw new OfficeError('conversion_timeout', 'Too slow.', true);
    };
    await expect(documents.generate(envelope())).rejects.toMatchObject({
      name: 'DocumentError',
      code: 'conversion_timeout',
      retryable: true,
    });
    expect(told.filter((line) => line.startsWith('failed'))).toEqual([
      'failed template_not_found unknown interactive',
      `failed conversion_timeout ${templateId} interactive`,
    ]);
    expect((await documents.files.list()).items).toEqual([]);
  });

  test('an aborted request neither fails nor leaves a file', async () => {
    const { documents, office, told } = world;
    const abort = new AbortController();
    office.before = (_, signal) => {
      abort.abort();
      signal?.throwIfAborted();
    };
    await expect(documents.generate(envelope(), { signal: abort.signal })).rejects.toThrow(
      /abort/i,
    );
    expect(told.some((line) => line.startsWith('failed'))).toBe(false);
    expect((await documents.files.list()).items).toEqual([]);
  });
});

test('images by address are fetched where the host is allowed, and count for the cache', async () => {
  const database = await openTestDatabase('postgres');
  let pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const asked: string[] = [];
  const world = await openWorld(database, {
    images: {
      allowedHosts: ['cdn.example.com'],
      fetch: (url) => {
        asked.push(url);
        return Promise.resolve(pixel);
      },
    },
  });
  const { documents } = world;
  await documents.templates.add({ name: 'photo', bytes: template('{{image Photo width=1cm}}') });
  const make = (Photo: string) =>
    documents.generate({ templateId: 'photo', outputFileName: 'x', data: { Photo } });
  await make('https://cdn.example.com/a.png');
  expect(asked).toEqual(['https://cdn.example.com/a.png']);
  expect(world.office.calls[0]?.text).toContain('[picture]');
  expect((await make('https://cdn.example.com/a.png')).cached).toBe(true);
  pixel = Buffer.concat([pixel, Buffer.from([0])]);
  expect((await make('https://cdn.example.com/a.png')).cached).toBe(false);
  await expect(make('https://evil.example.com/a.png')).rejects.toMatchObject({
    code: 'validation_error',
    detail: 'image_refused',
  });
  expect(asked).toHaveLength(3);
  await world.close();
  await database.drop();
});
