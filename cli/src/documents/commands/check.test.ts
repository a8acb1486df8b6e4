import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { docx, p } from '../../../../docx/test/builder.ts';
import { need } from '../../../../scripts/need.mjs';
import { documents, run } from '../../../test/run.ts';

await need('build');
await need('office');

/** Nothing listens there: a command that asked would end with 5. */
const NOWHERE = 'http://127.0.0.1:9';

async function folderOf(content: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-check-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, bytes] of Object.entries(content)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes);
  }
  return folder;
}

const GOOD = docx(p('Dear {{Name}}') + p('{{#each Lines}}{{Price}} {{/each}}'));
const STRIPPED = docx(p('Hello'), {
  relationships:
    '<Relationship Id="rX" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate" Target="file:///x.dotm" TargetMode="External"/>',
});
const MIXED = {
  'a.docx': GOOD,
  'deep/er/b.DOCX': GOOD,
  'deep/c.docx': STRIPPED,
  'bad.docx': docx(p('{{#if Paid}}')),
  'worse.docx': docx(p('{{#if Paid}}')),
  'none.docx': 'not a zip',
  '~$a.docx': 'of Word itself',
  'notes.txt': 'no Word file',
};

describe('millrace check', () => {
  test('says what works and why the rest does not, and ends with 1', async () => {
    const folder = await folderOf(MIXED);
    const { code, lines } = await run(['check', folder, '--no-convert'], NOWHERE);
    expect(code).toBe(1);
    expect(lines.map((line) => line.replaceAll(/\s\s+/g, ' | ').trim())).toEqual([
      '| FILES | RESULT | SUCH AS | WHY'.slice(2),
      expect.stringMatching(/^\| 3 \| works \| a\.docx, deep\/c\.docx, deep\/er\/b\.DOCX$/),
      expect.stringMatching(
        /^\| 2 \| compile: unbalanced_block \| bad\.docx, worse\.docx \| .+\.$/,
      ),
      expect.stringMatching(/^\| 1 \| compile: not_a_docx \| none\.docx \| .+\.$/),
      expect.stringMatching(/^\| 1 \| warning: stripped \| deep\/c\.docx \| .+\.$/),
      'result: check files=6 compiled=3 lost_text=0 untyped=0',
    ]);
    const quiet = await run(['check', folder, '--no-convert', '-q'], NOWHERE);
    expect(quiet).toMatchObject({ code: 1, stdout: 'bad.docx\nnone.docx\nworse.docx\n' });
  });

  test('ends with 0 where all is fine, for a folder and for one file', async () => {
    const folder = await folderOf({ 'a.docx': GOOD });
    for (const path of [folder, join(folder, 'a.docx')]) {
      const { code, stdout } = await run(['check', path, '--no-convert'], NOWHERE);
      expect(stdout).toMatch(/result: check files=1 compiled=1 lost_text=0 untyped=0\n$/);
      expect(code).toBe(0);
    }
  });

  test('gives each file and the counts as JSON', async () => {
    const folder = await folderOf({ 'a.docx': GOOD, 'none.docx': 'not a zip' });
    const { stdout, stderr } = await run(['check', folder, '--no-convert', '--json'], NOWHERE);
    const said = documents(stdout) as { file?: string }[];
    expect(said.slice(0, 2).toSorted((a, b) => ((a.file ?? '') < (b.file ?? '') ? -1 : 1))).toEqual(
      [
        expect.objectContaining({ file: 'a.docx', works: true, compiled: true, converted: null }),
        expect.objectContaining({
          file: 'none.docx',
          works: false,
          failure: { step: 'compile', code: 'not_a_docx', message: expect.any(String) },
        }),
      ],
    );
    expect(said[2]).toEqual({ files: 2, compiled: 1, converted: 0, lostText: 0, untyped: 0 });
    expect(stderr).toBe('');
  });

  test('shows how far it is in a terminal', async () => {
    const folder = await folderOf({ 'a.docx': GOOD, 'b.docx': GOOD });
    const argv = ['check', folder, '--no-convert'];
    const { stderr } = await run(argv, NOWHERE, { terminal: 80 });
    expect(stderr).toContain('1 of 2 files');
    expect(stderr).toContain('2 of 2 files');
  });

  test('converts where LibreOffice is, and says so where it is not', async () => {
    const folder = await folderOf({ 'a.docx': GOOD });
    const there = await run(['check', folder, '--json'], NOWHERE);
    expect(documents(there.stdout)).toMatchObject([{ converted: true }, { converted: 1 }]);
    const without = { env: { MILLRACE_OFFICE_PATH: '/nowhere' } };
    expect(await run(['check', folder], NOWHERE, without)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('LibreOffice is not installed'),
    });
  });

  test('refuses what is no folder, and one without Word files', async () => {
    const folder = await folderOf({ 'notes.txt': '' });
    for (const path of [folder, join(folder, 'none')])
      expect(await run(['check', path], NOWHERE)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(path),
      });
  });
});
