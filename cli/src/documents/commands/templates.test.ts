import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOCX_TYPE } from '@millrace/documents/contract';
import { describe, expect, test } from 'vitest';
import { CLEAN, aTemplate, documentsFixture } from '../../../test/documents.ts';
import { MINUTE, at } from '../../../test/jobs.ts';
import { documents as parsed } from '../../../test/run.ts';

const WARNED = {
  ...CLEAN,
  problems: [
    {
      severity: 'warning' as const,
      code: 'missing_font',
      message: 'The font "Acme Sans" is not installed: another one will be taken.',
    },
  ],
  missingFonts: ['Acme Sans'],
};

const versions = () => [
  aTemplate(),
  aTemplate({ id: 'tpl-4', version: 2, createdAt: at(-50 * MINUTE), createdBy: null }),
  aTemplate({ id: 'tpl-2', version: 1, createdAt: at(-60 * 24 * 3 * MINUTE) }),
];

describe('millrace templates', () => {
  test('lists them', async () => {
    const { millrace, documents } = await documentsFixture();
    expect((await millrace('templates', { terminal: 100 })).lines).toEqual([
      'TEMPLATE  VERSION  ID        SIZE  ADDED      BY',
      'invoice         3  tpl-7  30.4 KB  5 min ago  ada@example.com',
    ]);
    expect((await millrace('templates -q')).stdout).toBe('invoice\n');
    expect(parsed((await millrace('templates --json')).stdout)).toEqual(documents.templates);
    documents.templates = [];
    expect((await millrace('templates')).stderr).toMatch(/^No templates\. .*templates add/);
  });

  test('add keeps a file under its name, or another', async () => {
    const { millrace, documents, folder } = await documentsFixture();
    const file = join(folder, 'Offer letter.docx');
    await writeFile(file, 'PK not really');
    expect(await millrace(`templates add '${file}'`)).toMatchObject({
      code: 0,
      stdout: 'Offer letter  version 3  tpl-7\n',
      stderr: '',
    });
    expect(documents.uploads).toEqual([{ type: DOCX_TYPE, text: 'PK not really' }]);
    const there = await millrace(`templates add '${file}' --name there`);
    expect(there.stderr).toBe('The newest version is already the same file.\n');
    expect((await millrace(`templates add '${file}' -q`)).stdout).toBe('tpl-7\n');
    const [answer] = parsed((await millrace(`templates add '${file}' --json`)).stdout);
    expect(answer).toMatchObject({ created: true, template: { name: 'Offer letter' } });
  });

  test('add tells what the server thinks of it', async () => {
    const { millrace, documents, folder } = await documentsFixture();
    const file = join(folder, 'a.docx');
    await writeFile(file, 'PK');
    documents.lint = WARNED;
    expect((await millrace(`templates add ${file}`)).stderr).toBe(
      'warning: The font "Acme Sans" is not installed: another one will be taken.\n',
    );
    documents.lint = { ...CLEAN, ok: false };
    expect(await millrace(`templates add ${file}`)).toMatchObject({
      code: 4,
      stdout: '',
      stderr: `"millrace lint ${file}" lists all its problems.\nThe block is not closed.\n`,
    });
  });

  test('show has versions, fields, problems and missing fonts', async () => {
    const { millrace, documents } = await documentsFixture();
    documents.templates = versions();
    documents.lint = WARNED;
    const { code, lines } = await millrace('templates show invoice');
    expect(code).toBe(0);
    expect(lines).toEqual([
      'invoice  version 3  tpl-7',
      '  added    5 min ago by ada@example.com',
      '  size     30.4 KB',
      '  sha256   4c1f',
      '  fields   Account.Name',
      '  fonts    Liberation Sans',
      '  missing  Acme Sans',
      '',
      'warning: The font "Acme Sans" is not installed: another one will be taken.',
      '',
      'TEMPLATE  VERSION  ID        SIZE  ADDED       BY',
      'invoice         3  tpl-7  30.4 KB  5 min ago   ada@example.com',
      'invoice         2  tpl-4  30.4 KB  50 min ago  -',
      'invoice         1  tpl-2  30.4 KB  3 d ago     ada@example.com',
    ]);
    const [answer] = parsed((await millrace('templates show tpl-7 --json')).stdout);
    expect(answer).toMatchObject({ lint: WARNED, versions: versions() });
    expect((await millrace('templates show invoice -q')).stdout).toBe('tpl-7\n');
    expect((await millrace('templates show nobody')).code).toBe(3);
  });

  test.each([
    ['invoice', 'the template "invoice", 3 versions', '3 versions'],
    ['tpl-4', 'version 2 of the template "invoice"', '1 version'],
  ])('remove %s asks first, and says what would go', async (word, what, removed) => {
    const { millrace, documents, server } = await documentsFixture();
    documents.templates = versions();
    const person = { terminal: 80, keyboard: true };
    const no = await millrace(`templates remove ${word}`, { ...person, stdin: 'n\n' });
    expect(no).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `Remove ${what}? This cannot be undone. [y/N] Nothing was removed.\n`,
    });
    expect(server.requests.join()).not.toContain('DELETE');
    const yes = await millrace(`templates remove ${word}`, { ...person, stdin: 'y\n' });
    expect(yes).toMatchObject({ code: 0, stdout: `${removed} removed.\n` });
    expect(server.requests.at(-1)).toBe(`DELETE /templates/${word}`);
  });

  test('remove needs --yes where nobody can answer', async () => {
    const { millrace, server } = await documentsFixture();
    expect((await millrace('templates remove invoice')).code).toBe(2);
    expect(server.requests).toEqual([]);
    const ran = await millrace('templates remove invoice -y --json');
    expect(parsed(ran.stdout)).toEqual([{ removed: ['tpl-7'] }]);
    expect((await millrace('templates remove invoice -y -q')).stdout).toBe('tpl-7\n');
  });

  test.each([
    [
      'templates remvoe x',
      '"millrace templates" knows add, show, and remove, not "remvoe". Did you mean remove?',
    ],
    ['templates add', 'Missing argument: millrace templates add FILE'],
    [
      'templates show x --yes',
      '"millrace templates show" does not take --yes. See "millrace help templates".',
    ],
    [
      'templates --name x',
      '"millrace templates" does not take --name. See "millrace help templates".',
    ],
  ])('"%s" is told in one sentence', async (line, sentence) => {
    const { millrace, server } = await documentsFixture();
    expect(await millrace(line)).toMatchObject({ code: 2, stderr: `${sentence}\n` });
    expect(server.requests).toEqual([]);
  });
});
