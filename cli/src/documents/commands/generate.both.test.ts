import { execFileSync } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { compile } from '@millrace/docx';
import { docx, p } from '../../../../docx/test/builder.ts';
import { need } from '../../../../scripts/need.mjs';
import { PDF, documentsFixture } from '../../../test/documents.ts';
import { type Surroundings, documents as parsed, run } from '../../../test/run.ts';
import { inFast, inLong } from '../../../../scripts/suite.ts';

/** Nothing listens there: a command that asked would end with 5. */
const NOWHERE = 'http://127.0.0.1:9';
const TEMPLATE = docx(p('Dear {{Name}}, you owe {{currency Amount code=EUR}}'));
const DATA = { Name: 'Ada', Amount: 1234.5 };

// LibreOffice runs in processes of its own, which run what is built.
await need('build');
await need('office');
await need('pdf');

async function here() {
  const { folder } = await documentsFixture();
  await writeFile(join(folder, 't.docx'), TEMPLATE);
  await writeFile(join(folder, 'd.json'), JSON.stringify(DATA));
  const from = ['generate', '--template', join(folder, 't.docx'), '--data'];
  return {
    folder,
    at: (name: string) => join(folder, name),
    generate: (argv: readonly string[], surroundings?: Surroundings, data = 'd.json') =>
      run([...from, data === '-' ? '-' : join(folder, data), ...argv], NOWHERE, surroundings),
  };
}

describe('millrace generate, from a file', () => {
  inFast(
    'makes a PDF with the LibreOffice of this machine, and leaves nothing else',
    async () => {
      const { folder, at, generate } = await here();
      const work = at('tmp');
      await mkdir(work);
      const before = process.env['TMPDIR'];
      process.env['TMPDIR'] = work;
      onTestFinished(() => {
        if (before === undefined) delete process.env['TMPDIR'];
        else process.env['TMPDIR'] = before;
      });
      const ran = await generate(['-o', at('out.pdf')]);
      expect(ran).toMatchObject({ code: 0, stdout: `${at('out.pdf')}\n` });
      expect(ran.stderr).toMatch(/^[\d.]+ KB, in .*\.\n$/);
      expect(execFileSync('pdftotext', [at('out.pdf'), '-'], { encoding: 'utf8' })).toContain(
        'Dear Ada, you owe €1,234.50',
      );
      expect((await readdir(folder)).toSorted()).toEqual(['d.json', 'out.pdf', 't.docx', 'tmp']);
      expect(await readdir(work)).toEqual([]);
    },
    90_000,
  );

  inLong(
    'makes it as an archive wants it, with a watermark, of the pages asked for',
    async () => {
      const { at, generate } = await here();
      const page = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>';
      await writeFile(at('t.docx'), docx(p('One {{Name}}') + page + p('Two')));
      const argv = ['-o', at('o.pdf'), '--pdf-a', '2b', '--watermark', 'DRAFT', '--pages', '2'];
      expect((await generate(argv)).code).toBe(0);
      const text = execFileSync('pdftotext', [at('o.pdf'), '-'], { encoding: 'utf8' });
      expect(text).toContain('Two');
      expect(text).toContain('DRAFT');
      expect(text).not.toContain('One');
      const bytes = await readFile(at('o.pdf'), 'latin1');
      expect(bytes).toContain('<pdfaid:part>2</pdfaid:part>');
      const facts = execFileSync('pdfinfo', [at('o.pdf')], { encoding: 'utf8' });
      expect(facts).toMatch(/^Pages: +1$/m);
    },
    90_000,
  );

  inFast(
    'locks it with what is in a file',
    async () => {
      const { at, generate } = await here();
      await writeFile(at('secret'), 'open sesame\nnot this\n');
      expect((await generate(['-o', at('o.pdf'), '--password-file', at('secret')])).code).toBe(0);
      const info = (...argv: string[]) =>
        execFileSync('pdfinfo', [...argv, at('o.pdf')], { encoding: 'utf8', stdio: 'pipe' });
      expect(() => info()).toThrow(/password/i);
      expect(info('-upw', 'open sesame')).toMatch(/^Encrypted: +yes/m);
      await writeFile(at('secret'), '\n');
      const empty = await generate(['-o', at('p.pdf'), '--password-file', at('secret')]);
      expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('is empty') });
    },
    90_000,
  );

  inFast('refuses a field that the data lacks, if it is to be strict', async () => {
    const { at, generate } = await here();
    await writeFile(at('d.json'), '{"Name": "Ada"}');
    expect((await generate(['-o', at('o.docx')])).code).toBe(0);
    const strict = await generate(['-o', at('p.docx'), '--strict']);
    expect(strict).toMatchObject({ code: 4, stderr: expect.stringContaining('Amount') });
  });

  inFast('makes a DOCX without LibreOffice, with locale and data from a pipe', async () => {
    const { at, generate } = await here();
    const stdin = JSON.stringify(DATA);
    const surroundings = { env: { MILLRACE_OFFICE_PATH: '/nowhere' }, stdin };
    const argv = ['-o', at('out.docx'), '--locale', 'de-DE'];
    expect((await generate(argv, surroundings, '-')).code).toBe(0);
    const made = await readFile(at('out.docx'));
    const expected = compile(TEMPLATE).merge(DATA, { locale: 'de-DE' });
    expect(made.equals(expected)).toBe(true);
  });

  inFast('says how to get LibreOffice where there is none', async () => {
    const { folder, at, generate } = await here();
    const ran = await generate(['-o', at('o.pdf')], { env: { MILLRACE_OFFICE_PATH: '/nowhere' } });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toMatch(
      /libreoffice-writer-nogui.*MILLRACE_OFFICE_PATH.*--format docx\.\n$/,
    );
    expect(await readdir(folder)).not.toContain('o.pdf');
    const told = await generate(['-o', at('o.pdf'), '--json'], {
      env: { MILLRACE_OFFICE_PATH: '/nowhere' },
    });
    expect(parsed(told.stderr)).toMatchObject([{ code: 'office_missing' }]);
  });

  inFast('replaces nothing without --force, and its template never', async () => {
    const { folder, at, generate } = await here();
    await writeFile(at('out.docx'), 'mine');
    expect(await generate(['-o', at('out.docx')])).toMatchObject({
      code: 2,
      stderr: `The file "${at('out.docx')}" already exists. Add --force to replace it, or choose another with -o.\n`,
    });
    expect(await readFile(at('out.docx'), 'utf8')).toBe('mine');
    expect((await generate(['-o', at('out.docx'), '--force'])).code).toBe(0);
    expect((await readFile(at('out.docx'))).subarray(0, 2).toString()).toBe('PK');
    const itself = await generate(['-o', at('t.docx'), '--force']);
    expect(itself).toMatchObject({ code: 2, stdout: '' });
    expect((await readFile(at('t.docx'))).equals(TEMPLATE)).toBe(true);
    expect((await readdir(folder)).toSorted()).toEqual(['d.json', 'out.docx', 't.docx']);
  });

  inFast('writes to standard output, but not into a terminal', async () => {
    const { generate } = await here();
    const { code, bytes } = await generate(['-o', '-', '--format', 'docx']);
    expect(code).toBe(0);
    expect(bytes.equals(compile(TEMPLATE).merge(DATA))).toBe(true);
    expect(await generate(['-o', '-'], { terminal: 80 })).toMatchObject({ code: 2, stdout: '' });
    expect((await generate(['-o', '-', '--json'])).code).toBe(2);
  });

  inFast('tells what does not fit', async () => {
    const { at, generate } = await here();
    const wrong = await generate(['-o', at('o.docx'), '--timezone', 'Mars/Olympus']);
    expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining('Mars/Olympus') });
    expect(await generate(['-o', at('o.docx'), '--format', 'pdf'])).toMatchObject({
      code: 2,
      stderr: `"${at('o.docx')}" would hold a PDF. Call it .pdf.\n`,
    });
    expect(await generate(['-o', at('o.doc')])).toMatchObject({
      code: 2,
      stderr: `"${at('o.doc')}" would hold a PDF: documents are .pdf or .docx. Rename it.\n`,
    });
    expect((await generate(['-o', at('o.docx')], {}, 'rows.csv')).stderr).toContain(
      '"millrace batch" takes rows.',
    );
    await writeFile(at('nmae.json'), '{}');
    expect((await generate(['-o', at('nmae.docx')], {}, 'nmae.json')).stderr).toContain(
      'The data has nothing for ',
    );
    await writeFile(at('list.json'), '[1]');
    expect((await generate(['-o', at('o.docx')], {}, 'list.json')).stderr).toBe(
      `The file "${at('list.json')}" is not an object, such as {"Name": "Ada"}.\n`,
    );
    expect(await generate(['-o', at('o.docx'), '--pdf-ua'])).toMatchObject({
      code: 2,
      stderr: '--pdf-ua applies to PDFs, and the format is DOCX.\n',
    });
    const folder = at('no/o.docx');
    expect((await generate(['-o', folder])).stderr).toBe(`Folder not found: "${at('no')}".\n`);
  });

  inFast('fetches no image by itself', async () => {
    const { at, generate } = await here();
    await writeFile(at('t.docx'), docx(p('{{image Photo width=4cm}}')));
    await writeFile(at('d.json'), '{"Photo": "https://cdn.example.com/a.png?signature=x"}');
    const { code, stderr } = await generate(['-o', at('o.docx')]);
    expect(code).toBe(4);
    expect(stderr).toMatch(/such as https:\/\/cdn\.example\.com\/a\.png\. Without a server/);
  });
});

describe('millrace generate, from a template of the server', () => {
  inFast('tells what the document lacks, and ends with 0', async () => {
    const { millrace, documents, folder } = await documentsFixture();
    documents.warnings = ['No font of the server has 請 (U+8ACB).'];
    const data = join(folder, 'd.json');
    await writeFile(data, '{}');
    const line = `generate --template invoice --data ${data} --force -o ${join(folder, 'o.pdf')}`;
    const ran = await millrace(line);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^No font of the server has 請 \(U\+8ACB\)\.\n/);
    expect((await millrace(`${line} -q`)).stderr).toBe('');
  });

  inFast('sends the data and fetches the document', async () => {
    const { millrace, documents, folder, server } = await documentsFixture();
    const path = join(folder, 'out.pdf');
    const options = `--locale de-DE --timezone Europe/Berlin --name 'Invoice 1' -o ${path}`;
    const stdin = JSON.stringify(DATA);
    const ran = await millrace(`generate --template invoice --data - ${options}`, { stdin });
    expect(ran).toMatchObject({ code: 0, stdout: `${path}\n` });
    expect((await readFile(path)).equals(PDF)).toBe(true);
    expect(documents.envelopes).toMatchObject([
      {
        templateId: 'invoice',
        outputFileName: 'Invoice 1',
        outputFormat: 'PDF',
        locale: 'de-DE',
        timezone: 'Europe/Berlin',
        data: DATA,
      },
    ]);
    expect(server.requests).toEqual(['POST /generate', 'GET /files/file-12/content']);
    const again = await millrace(`generate --template invoice --data - ${options} --force --json`, {
      stdin,
    });
    expect(parsed(again.stdout)).toMatchObject([
      { path, size: PDF.length, file: { id: 'file-12' }, cached: false },
    ]);
  });

  inFast('passes on what the document is to be', async () => {
    const { millrace, documents, folder } = await documentsFixture();
    const secret = join(folder, 'secret');
    await writeFile(secret, 'sesame');
    const options = `--strict --pdf-ua --pages 2- --watermark COPY --password-file ${secret} -o - -q`;
    const stdin = '{}';
    await millrace(`generate --template invoice --data - ${options}`, { stdin });
    expect(documents.envelopes).toMatchObject([
      {
        options: { strict: true },
        pdf: { pdfUa: true, pageRange: '2-', watermark: 'COPY', password: 'sesame' },
      },
    ]);
  });

  inFast('gives the bytes as they are to a pipe', async () => {
    const { millrace } = await documentsFixture();
    const ran = await millrace('generate --template tpl-7 --data - -o - -q', { stdin: '{}' });
    expect(ran.bytes.equals(PDF)).toBe(true);
    expect(ran.stderr).toBe('');
  });

  inFast('ends with 3 where there is no such template, and leaves no file', async () => {
    const { millrace, folder } = await documentsFixture();
    const path = join(folder, 'x.pdf');
    const ran = await millrace(`generate --template nobody --data - -o ${path}`, { stdin: '{}' });
    expect(ran).toMatchObject({ code: 3, stderr: 'There is no template "nobody".\n' });
    expect(await readdir(folder)).toEqual([]);
  });

  inFast('asks for what is missing', async () => {
    const { millrace, server } = await documentsFixture();
    expect((await millrace('generate --data d.json')).stderr).toContain('--template');
    expect((await millrace('generate --template invoice')).stderr).toContain('--data');
    expect((await millrace('generate --template x --data y --format odt')).stderr).toBe(
      '--format takes pdf or docx, not "odt".\n',
    );
    expect(server.requests).toEqual([]);
  });
});
