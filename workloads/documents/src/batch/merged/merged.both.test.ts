import { PDFDocument } from '@cantoo/pdf-lib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { textLines } from '../../../../../docx/test/read.ts';
import { clockAheadBy } from '../../../../../stores/postgres/test/databases.ts';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../../stores/postgres/test/stores.ts';
import { fakeOffice } from '../../../test/office.ts';
import { look, pdfOf } from '../../../test/pdf.ts';
import { type World, bytesOf, later, openWorld, template } from '../../../test/world.ts';
import type { BatchSettingsInput } from '../../contract/envelope.ts';
import { DocumentError } from '../../errors.ts';
import { createFiles } from '../../files/files.ts';
import { startMergeThread } from './merge-thread.ts';
import { createMerged } from './merged.ts';
import { inLong } from '../../../../../scripts/suite.ts';

/** Its PDFs are PDFs: one page with the text, or whatever a test makes of the text. */
function pdfOffice(make: (text: string) => Promise<Uint8Array> | Uint8Array = pdfOf) {
  return {
    ...fakeOffice(),
    convert: async (docx: Uint8Array) => {
      const pdf = await make(textLines(docx).join('\n'));
      return { pdf, timings: { queueMs: 0, convertMs: 0 } as never };
    },
  };
}

const refused = () => new DocumentError('conversion_failed', 'No.');

describe.each(DATABASES)('a merged PDF on %s', (which) => {
  let database: TestDatabase;
  let world: World;
  let make: (text: string) => Promise<Uint8Array> | Uint8Array;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.reset();
    make = pdfOf;
    world = await openWorld(database, { office: pdfOffice((text) => make(text)) });
    await world.documents.templates.add({ name: 'letter', bytes: template('Dear {{Name}}') });
    world.startWorker();
  });
  afterEach(() => world.close());

  const rowsOf = async (table: string): Promise<number> => {
    const text = `SELECT count(*)::int AS n FROM millrace.document_${table}`;
    const [row] = await world.store.database.query<{ n: number }>({ name: '', text }, []);
    return row?.n ?? -1;
  };

  async function batchOf(names: readonly string[], settings: Partial<BatchSettingsInput> = {}) {
    const { id, jobId } = await world.documents.batches.create(
      { templateId: 'letter', outputFileName: '{{Name}}', ...settings },
      { rows: names.map((Name) => ({ Name })) },
    );
    await world.ended(jobId ?? '');
    return id;
  }

  /** Bypasses the world's own: with limits and threads that a test chooses. */
  function mergedWith(parts: Partial<Parameters<typeof createMerged>[0]>) {
    const { database: session } = world.store;
    return createMerged({ database: session, files: createFiles({ database: session }), ...parts });
  }

  test('has every document that was made, in the order of the rows, under its name', async () => {
    make = (text) => {
      if (text.includes('Bob')) throw refused();
      return pdfOf(text);
    };
    const id = await batchOf(['Zoe', 'Bob', 'Ann', 'Ann']);
    const { merged } = world.documents.batches;
    const pdf = await merged(id);
    expect(pdf).toMatchObject({ name: `${id}.pdf`, mediaType: 'application/pdf', documents: 3 });
    const bytes = await bytesOf(pdf.read());
    expect(bytes).toHaveLength(pdf.size);
    expect(look(bytes)).toMatchObject({
      pages: ['Dear Zoe', 'Dear Ann', 'Dear Ann'],
      outline: [
        { title: 'Zoe.pdf', page: 1 },
        { title: 'Ann.pdf', page: 2 },
        { title: 'Ann (2).pdf', page: 3 },
      ],
      complaints: '',
    });
    const part = await bytesOf(pdf.read({ from: 100, to: 300 }));
    expect(part.equals(bytes.subarray(100, 300))).toBe(true);
    expect(() => pdf.read({ from: 0, to: pdf.size + 1 })).toThrow(/bytes/);
  });

  test('is made once, however many ask, and goes with its batch', async () => {
    const id = await batchOf(['Ann', 'Bob']);
    const started: string[] = [];
    const merged = mergedWith({
      startThread(params) {
        started.push(params.title);
        return startMergeThread(params);
      },
    });
    const etags = await Promise.all([merged(id), merged(id), merged(id)]);
    expect(new Set(etags.map(({ etag }) => etag)).size).toBe(1);
    await merged(id);
    expect(started).toEqual([id]);
    const { items: files } = await world.documents.files.list({ batchId: id });
    const [file] = files;
    expect(file).toMatchObject({ name: `${id}.pdf`, mediaType: 'application/pdf' });
    expect(files).toHaveLength(3);
    expect(file?.expiresAt).toBe((await world.documents.batches.get(id)).expiresAt);
    expect((await world.documents.archive(id)).entries).toBe(2);
    await database.script(clockAheadBy(8 * 86_400_000));
    for (let more = true; more;) ({ more } = await world.documents.sweep.runOnce());
    expect(await rowsOf('files')).toBe(0);
    expect(await rowsOf('contents')).toBe(0);
    await expect(merged(id)).rejects.toMatchObject({ code: 'batch_not_found' });
  });

  test('made by two replicas at once is kept once', async () => {
    const id = await batchOf(['Ann']);
    const both = later();
    let waiting = 0;
    const replica = () =>
      mergedWith({
        startThread(params) {
          const thread = startMergeThread(params);
          return {
            ...thread,
            async end() {
              if ((waiting += 1) === 2) both.resolve();
              await both.promise;
              return thread.end();
            },
          };
        },
      });
    const [one, two] = await Promise.all([replica()(id), replica()(id)]);
    expect((await bytesOf(one.read())).equals(await bytesOf(two.read()))).toBe(true);
    expect(await rowsOf('files')).toBe(2);
    expect(await rowsOf('contents')).toBe(2);
  });

  test('is another one after a retry that made more, and the old one goes', async () => {
    make = (text) => {
      if (text.includes('Bob')) throw refused();
      return pdfOf(text);
    };
    const { batches } = world.documents;
    const id = await batchOf(['Ann', 'Bob']);
    const before = await batches.merged(id);
    make = pdfOf;
    await batches.retry(id);
    await expect(batches.merged(id)).rejects.toMatchObject({ code: 'batch_not_finished' });
    await world.ended((await batches.get(id)).jobId ?? '');
    const after = await batches.merged(id);
    expect(after.etag).not.toBe(before.etag);
    expect(look(await bytesOf(after.read())).pages).toEqual(['Dear Ann', 'Dear Bob']);
    expect(await rowsOf('files')).toBe(3);
    await expect(bytesOf(before.read())).rejects.toMatchObject({ code: 'file_not_found' });
  });

  inLong('forgets a document that is removed', async () => {
    const { batches, files } = world.documents;
    const id = await batchOf(['Ann', 'Bob']);
    const before = await batches.merged(id);
    const { items } = await batches.items(id);
    await files.remove(items[0]?.fileId ?? '');
    await expect(bytesOf(before.read())).rejects.toMatchObject({ code: 'file_not_found' });
    expect(await rowsOf('contents')).toBe(1);
    expect(look(await bytesOf((await batches.merged(id)).read())).pages).toEqual(['Dear Bob']);
    await files.remove(items[1]?.fileId ?? '');
    await expect(batches.merged(id)).rejects.toMatchObject({ code: 'nothing_to_merge' });
  });

  test.each([
    ['after it was merged', 'end'],
    ['before it was read', 'add'],
  ] as const)('has no document that is removed %s', async (_, when) => {
    const { batches, files } = world.documents;
    const id = await batchOf(['Bob', 'Ann']);
    const { items } = await batches.items(id);
    let isRemoved = false;
    const removing = async () => {
      if (!isRemoved) await files.remove(items[1]?.fileId ?? '');
      isRemoved = true;
    };
    const merged = mergedWith({
      startThread(params) {
        const thread = startMergeThread(params);
        const before =
          <Given extends unknown[], Answer>(work: (...given: Given) => Promise<Answer>) =>
          async (...given: Given) => {
            await removing();
            return work(...given);
          };
        return { ...thread, [when]: before<never[], unknown>(thread[when]) };
      },
    });
    expect(look(await bytesOf((await merged(id)).read())).pages).toEqual(['Dear Bob']);
    expect(await rowsOf('files')).toBe(2);
    // What was begun and given up is left to the sweep.
    expect(await rowsOf('contents')).toBe(when === 'end' ? 2 : 3);
  });

  inLong('is refused with the item that cannot be merged', async () => {
    make = (text) => (text.includes('Bob') ? Buffer.from(`%PDF ${text}`) : pdfOf(text));
    const broken = await batchOf(['Ann', 'Bob']);
    await expect(world.documents.batches.merged(broken)).rejects.toMatchObject({
      code: 'merge_failed',
      message: 'Item 2 (line 2), "Bob.pdf", cannot be merged: it is not a PDF that can be read.',
    });
    make = async (text) => {
      const pdf = await PDFDocument.load(await pdfOf(text));
      pdf.encrypt({ userPassword: 'x', ownerPassword: 'y' });
      return pdf.save();
    };
    const locked = await batchOf(['Cat']);
    await expect(world.documents.batches.merged(locked)).rejects.toMatchObject({
      code: 'merge_failed',
      message: 'Item 1 (line 1), "Cat.pdf", cannot be merged: it has a password.',
    });
    // What was begun is no file, and the sweep takes its bytes.
    expect(await rowsOf('files')).toBe(3);
  });

  test('is refused where there is none to be had', async () => {
    const { merged } = world.documents.batches;
    const asking = (id: string) => expect(merged(id)).rejects;
    await asking('batch-99').toMatchObject({ code: 'batch_not_found' });
    await asking('nonsense').toMatchObject({ code: 'batch_not_found' });
    const docx = await batchOf(['Ann'], { outputFormat: 'DOCX' });
    await asking(docx).toMatchObject({ code: 'batch_not_pdf' });
    const locked = await batchOf(['Ann'], { pdf: { password: 'x' } });
    await asking(locked).toMatchObject({ code: 'merge_failed' });
    make = () => Promise.reject(refused());
    await asking(await batchOf(['Nobody'])).toMatchObject({ code: 'nothing_to_merge' });
    const mine = await world.documents.batches.create(
      { templateId: 'letter' },
      { rows: [{ Name: 'Ann' }] },
    );
    await expect(merged(mine.id, 'other')).rejects.toMatchObject({ code: 'batch_not_found' });
  });

  inLong('is given up where documents go faster than they are merged', async () => {
    const { batches, files } = world.documents;
    const id = await batchOf(['Ann', 'Bob', 'Cat', 'Dan']);
    const left = (await batches.items(id)).items.map(({ fileId }) => fileId ?? '');
    const merged = mergedWith({
      startThread(params) {
        const thread = startMergeThread(params);
        return {
          ...thread,
          async end() {
            await files.remove(left.shift() ?? '');
            return thread.end();
          },
        };
      },
    });
    await expect(merged(id)).rejects.toMatchObject({ code: 'upload_failed', retryable: true });
  });

  test('is refused before anything is read when it would be too large', async () => {
    const id = await batchOf(['Ann', 'Bob']);
    const merged = mergedWith({
      maxBytes: 1_000,
      startThread: () => {
        throw new Error('It must not begin.');
      },
    });
    await expect(merged(id)).rejects.toMatchObject({
      code: 'merge_too_large',
      message: expect.stringMatching(
        / have \d{4} bytes together; at most 1000 are merged\.$/,
      ) as string,
    });
  });
});

describe('the thread that merges', () => {
  const data = (program: string) => new URL(`data:text/javascript,${encodeURIComponent(program)}`);

  test('is not waited for without an end', async () => {
    const script = data('setInterval(() => {}, 1000)');
    const thread = startMergeThread({ title: 'x', script, patienceMs: 1 });
    expect(await thread.add('a.pdf', new Uint8Array(1))).toEqual({
      type: 'refused',
      why: 'too_much',
    });
    await thread.close();
  });

  test('that breaks says why, also if nobody was waiting', async () => {
    const thread = startMergeThread({
      title: 'x',
      script: data('throw new Error("no such file")'),
    });
    await expect(thread.add('a.pdf', new Uint8Array(1))).rejects.toThrow('no such file');
    await expect(thread.add('a.pdf', new Uint8Array(1))).rejects.toThrow('no such file');
    await thread.close();
  });

  test('that runs out of memory is one document too much', async () => {
    const script = data('const all = []; for (;;) all.push(new Array(1e6).fill({}));');
    const thread = startMergeThread({ title: 'x', script, memoryMb: 20 });
    expect(await thread.end()).toEqual({ type: 'refused', why: 'too_much' });
    await thread.close();
  });
});
