import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PDF, ZIP, aBatch, aFailedRow } from '../../../test/documents.ts';
import { CSV, rows } from '../../../test/batches.ts';
import { refusal } from '../../../test/contract-server.ts';
import { aJob } from '../../../test/jobs.ts';
import { documents as parsed } from '../../../test/run.ts';
import { addressOf } from '../../../test/tamper.ts';
import { cursorIsShown, screenOf } from '../../../test/terminal.ts';

describe('millrace batch', () => {
  test('sends the rows, waits, and fetches the ZIP', async () => {
    const { millrace, documents, zip, line, server } = await rows();
    const ran = await millrace(
      `${line} --name 'Invoice {{Number}}' --format docx --locale de-DE --subject {{Number}}`,
    );
    expect(ran).toMatchObject({
      code: 0,
      stdout: `${zip}\n`,
      stderr: `batch-3: 4 rows.\n4 made, 0 failed, in 41 s.\n${ZIP.length} B.\n`,
    });
    expect(documents.uploads).toEqual([{ type: 'text/csv', text: CSV }]);
    expect(documents.queries).toEqual([
      {
        templateId: 'invoice',
        outputFileName: 'Invoice {{Number}}',
        outputFormat: 'DOCX',
        locale: 'de-DE',
        subject: '{{Number}}',
      },
    ]);
    expect((await readFile(zip)).equals(ZIP)).toBe(true);
    expect(server.requests.slice(1)).toEqual([
      'GET /documents/batches/batch-3',
      'GET /documents/batches/batch-3',
      'GET /documents/batches/batch-3/archive',
    ]);
  });

  test('says what the PDFs are to be, and their password in a header alone', async () => {
    const { millrace, documents, file, folder } = await rows();
    const secret = join(folder, 'secret');
    await writeFile(secret, 'öffne dich\n');
    const line = `batch --template invoice --data ${file} --no-wait`;
    const ran = await millrace(
      `${line} --pdf-ua --watermark DRAFT --pages 1-2 --password-file ${secret}`,
    );
    expect(ran.code).toBe(0);
    expect(documents.queries).toEqual([
      { templateId: 'invoice', pdfUa: 'true', watermark: 'DRAFT', pageRange: '1-2' },
    ]);
    const merged = `batch --template invoice --data ${file} --merge --password-file ${secret}`;
    expect((await millrace(merged)).stderr).toContain('cannot be merged');
    const word = await millrace(`${line} --format docx --pdf-a 2b`);
    expect(word.stderr).toContain('--pdf-a applies to PDFs');
  });

  test('fetches one PDF of them all', async () => {
    const { millrace, file, folder, server } = await rows();
    const pdf = join(folder, 'out.pdf');
    const ran = await millrace(`batch --template invoice --data ${file} --merge -o ${pdf}`);
    expect(ran).toMatchObject({ code: 0, stdout: `${pdf}\n` });
    expect(ran.stderr).toContain('Merging them into one PDF.\n');
    expect((await readFile(pdf)).equals(PDF)).toBe(true);
    expect(server.requests.at(-1)).toBe('GET /documents/batches/batch-3/merged.pdf');
  });

  test('that cannot be merged has its documents all the same', async () => {
    const { millrace, file, folder, service } = await rows();
    service.handlers.downloadMerged = () => {
      throw refusal('merge_failed', 'Item 2 (line 3), "b.pdf", cannot be merged.');
    };
    const pdf = join(folder, 'out.pdf');
    const ran = await millrace(`batch --template invoice --data ${file} --merge -o ${pdf}`);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain('The documents are kept: millrace batch download batch-3');
    expect(ran.stderr).toContain('Item 2 (line 3), "b.pdf", cannot be merged.');
    expect(await readdir(folder)).toEqual(['rows.csv']);
  });

  test('has no time limit on rows and archives, only on questions', async () => {
    const { millrace, line } = await rows();
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    expect((await millrace(line)).code).toBe(0);
    const limits = timers.mock.calls.map(([, ms]) => ms ?? 0).filter((ms) => ms >= 10_000);
    expect(limits).toEqual([30_000, 30_000]);
  });

  test('asks for what a spreadsheet needs, and says what became of its rows', async () => {
    const { millrace, documents, folder } = await rows();
    const source = {
      format: 'csv' as const,
      encoding: 'windows-1252',
      sheet: null,
      rows: 2_000,
      blank: 2,
    };
    documents.batches = [aBatch(4, 0, { preview: 4, source })];
    const xlsx = join(folder, 'people.xlsx');
    await writeFile(xlsx, 'PK');
    const ran = await millrace(
      `batch --template invoice --data ${xlsx} --sheet 'May 2026' --preview 4 --priority 5 --strict --allow-missing --locale de-DE --data-locale en-US -o ${join(folder, 'a.zip')}`,
    );
    expect(ran.stderr).toContain(
      'batch-3: the first 4 of 2,000 rows, 2 blank ones skipped. Read as windows-1252.\n4 made, 0 failed, in 41 s.\n',
    );
    expect(documents.uploads[0]?.type).toContain('spreadsheetml');
    expect(documents.queries).toEqual([
      {
        templateId: 'invoice',
        locale: 'de-DE',
        dataLocale: 'en-US',
        preview: 4,
        priority: 5,
        sheet: 'May 2026',
        strict: 'true',
        allowMissing: 'true',
      },
    ]);
  });

  test('shows a bar while it waits', async () => {
    const { millrace, line } = await rows();
    const screens: string[][] = [];
    let sent = '';
    const ran = await millrace(line, {
      terminal: 100,
      onSay: (text) => void (sent += text),
      onWait: () => void screens.push(screenOf(sent)),
    });
    expect(ran.code).toBe(0);
    expect(screens.map((screen) => screen.at(-1))).toEqual([
      `batch-3  ${'─'.repeat(30)}   0 %  0 of 4`,
      `batch-3  ${'━'.repeat(15)}${'─'.repeat(15)}  50 %  2 of 4`,
    ]);
    expect(cursorIsShown(sent)).toBe(true);
    expect(screenOf(sent).join('\n')).not.toContain('━');
  });

  test('says what it waits for while nothing of it is made', async () => {
    const { millrace, documents, service, line } = await rows();
    documents.batches = [aBatch(0, 0), aBatch(0, 0), aBatch(4, 0)];
    service.jobs = [aJob({ id: 'pg-120', kind: 'document', correlationId: 'c-1' })];
    const screens: string[] = [];
    let sent = '';
    await millrace(line, {
      terminal: 100,
      onSay: (text) => void (sent += text),
      onWait: () => void screens.push(screenOf(sent).join('\n')),
    });
    expect(screens[0]).not.toContain('is paused');
    expect(screens[1]).toContain('The kind "hello" is paused.');
  });

  test('lists the rows that failed, fetches the others, and ends with 1', async () => {
    const { millrace, documents, zip, line } = await rows();
    documents.batches = [aBatch(0, 0), aBatch(3, 1)];
    documents.items = [aFailedRow(5)];
    const ran = await millrace(line);
    expect(ran).toMatchObject({ code: 1, stdout: `${zip}\n` });
    expect(ran.stderr).toContain(
      'line 5: validation_error: The field Amount is missing.\n3 made, 1 failed, in 41 s.\n',
    );
    const json = await millrace(`${line} --force --json`);
    expect(parsed(json.stdout).at(-1)).toMatchObject({
      state: 'FINISHED',
      failures: [{ line: 5, error: { code: 'validation_error' } }],
      path: zip,
      size: ZIP.length,
    });
  });

  test('tells what documents lack, and ends with 0', async () => {
    const { millrace, documents, zip, line } = await rows();
    const ended = aBatch(4, 0);
    documents.batches = [aBatch(0, 0), { ...ended, counts: { ...ended.counts, warned: 1 } }];
    documents.items = [
      { ...aFailedRow(5), state: 'SUCCEEDED', error: null, warning: 'No font has 請 (U+8ACB).' },
    ];
    const ran = await millrace(line);
    expect(ran).toMatchObject({ code: 0, stdout: `${zip}\n` });
    expect(ran.stderr).toContain(
      'line 5: No font has 請 (U+8ACB).\n4 made (1 with a warning), 0 failed, in 41 s.\n',
    );
  });

  test('fetches nothing where nothing was made, and shows 20 rows of many', async () => {
    const { millrace, documents, folder, line } = await rows();
    const counts = { pending: 0, running: 0, succeeded: 0, failed: 25, canceled: 0, warned: 0 };
    documents.batches = [aBatch(0, 4, { total: 25, counts })];
    documents.items = Array.from({ length: 25 }, (_, index) => aFailedRow(index + 2));
    const ran = await millrace(line);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr.match(/^line /gm)).toHaveLength(20);
    expect(ran.stderr).toContain('and 5 more: "millrace batch status batch-3" lists them all.\n');
    expect(await readdir(folder)).toEqual(['rows.csv']);
  });

  test('goes on without whoever interrupts it, and says how to see it again', async () => {
    const { millrace, folder, line, server } = await rows();
    const ran = await millrace(line, { onWait: (_, interrupt) => interrupt() });
    expect(ran.code).toBe(130);
    expect(ran.stderr).toBe(
      'batch-3: 4 rows.\nbatch-3 continues in the background: "millrace batch status batch-3" shows its progress, "millrace batch download batch-3" downloads the documents.\n',
    );
    expect(server.requests.filter((request) => request.includes('cancel'))).toEqual([]);
    expect(await readdir(folder)).toEqual(['rows.csv']);
  });

  test('waits for a server that restarts', async () => {
    const { millrace, line, service } = await rows();
    const { getBatch } = service.handlers;
    delete service.handlers.getBatch;
    let away = 0;
    const fetchAway: typeof fetch = async (input, init) => {
      if (init?.method === 'GET' && away > 0 && away < 3) throw new TypeError('fetch failed');
      return fetch(input, init);
    };
    const ran = await millrace(line, {
      fetch: fetchAway,
      onWait(times) {
        away = times;
        if (times === 3 && getBatch !== undefined) service.handlers.getBatch = getBatch;
      },
    });
    expect(ran.code).toBe(0);
    expect(ran.waits.length).toBe(4);
  });

  test.each([
    ['[{"Number": 1}]', 'application/json'],
    ['\n {"Number": 1}\n', 'application/x-ndjson'],
    ['\uFEFFNumber\n1\n', 'text/csv'],
    ['PK\u0003\u0004', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['', 'text/csv'],
  ])('tells by its beginning what comes through a pipe: %j', async (stdin, type) => {
    const { millrace, documents } = await rows();
    const ran = await millrace('batch --template invoice --data - --no-wait', { stdin });
    expect(ran).toMatchObject({ code: 0, stdout: 'batch-3\n' });
    expect(documents.uploads).toEqual([{ type, text: stdin }]);
  });

  test.each([
    ['batch', 'Missing --template.'],
    ['batch --template a', 'Missing --data: a .csv, .xlsx, .json or .jsonl file.'],
    [
      'batch --template a.docx --data -',
      'Batches use templates of the server. Add the file first: millrace templates add a.docx',
    ],
    [
      'batch --template a --data a.ods',
      'Unknown format of "a.ods": use a .csv, .xlsx, .json or .jsonl file.',
    ],
    [
      'batch --template a --data a.xls',
      '"a.xls" is an old Excel file. Save it as .xlsx or .csv first.',
    ],
    [
      'batch --template a --data - --no-wait -o x.zip',
      'With --no-wait nothing is downloaded: leave out -o.',
    ],
    [
      'batch status batch-3 --force',
      '"millrace batch status" does not take --force. See "millrace help batch".',
    ],
    ['batch status', 'Missing argument: millrace batch status ID'],
    [
      'batch --template a --data - --no-wait --merge',
      'With --no-wait nothing is downloaded: leave out --merge.',
    ],
    [
      'batch --template a --data - --merge --format docx',
      'Only PDFs can be merged: leave out --merge or --format docx.',
    ],
    ['batch --template a --data - --merge -o a.zip', '"a.zip" would hold a PDF. Call it .pdf.'],
    [
      'batch download batch-3 -o a.pdf',
      'The output is a ZIP, not "a.pdf". Add --merge for one PDF of all.',
    ],
    [
      'batch --template a --data - --all',
      '"millrace batch" does not take --all. See "millrace help batch".',
    ],
    ['batch list batch-3', '"millrace batch list" does not take "batch-3".'],
    ['batch list --limit 3 --all', 'Give either --limit or --all.'],
    [
      'batch lst',
      '"millrace batch" knows list, status, cancel, failed, retry, and download, not "lst". Did you mean list?',
    ],
  ])('"%s" is told in one sentence', async (line, sentence) => {
    const { millrace, server } = await rows();
    expect(await millrace(line)).toMatchObject({ code: 2, stderr: `${sentence}\n` });
    expect(server.requests).toEqual([]);
  });

  test('replaces no file, and says so before anything is sent', async () => {
    const { millrace, zip, line, server } = await rows();
    await writeFile(zip, 'mine');
    expect((await millrace(line)).code).toBe(2);
    expect(server.requests).toEqual([]);
    expect(await readFile(zip, 'utf8')).toBe('mine');
  });

  test('leaves no half of a ZIP when the line is cut, and says that the documents are there', async () => {
    const { millrace, folder, line } = await rows();
    const cut: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!addressOf(input).endsWith('/archive')) return response;
      async function* half() {
        yield Buffer.from('PK');
        throw new TypeError('terminated');
      }
      return new Response(ReadableStream.from(half()), { status: 200 });
    };
    const ran = await millrace(line, { fetch: cut });
    expect(ran.code).toBe(5);
    expect(ran.stderr).toContain('The documents are kept: millrace batch download batch-3');
    expect(await readdir(folder)).toEqual(['rows.csv']);
  });
});
