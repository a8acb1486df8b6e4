import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { docx, p } from '../../../../docx/test/builder.ts';
import { documents, run } from '../../../test/run.ts';

/** Nothing listens there: a command that asked would end with 5. */
const NOWHERE = 'http://127.0.0.1:9';

async function files(content: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, bytes] of Object.entries(content)) await writeFile(join(folder, name), bytes);
  return folder;
}

const GOOD = docx(p('Dear {{Name}}') + p('{{#each Lines}}{{Price}} {{/each}}{{Name}}'));

describe('millrace lint', () => {
  test('has nothing to say of a good template but how many fields it has', async () => {
    const folder = await files({ 'good.docx': GOOD });
    expect(await run(['lint', join(folder, 'good.docx')], NOWHERE)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No problems, 3 fields.\n',
    });
  });

  test('lists every problem with its place, and ends with 1', async () => {
    const bad = docx(p('Dear {{Name}}') + p('{{#if Paid}}') + p('{{frobnicate Name}}'));
    const folder = await files({ 'bad.docx': bad });
    const { code, lines, stderr } = await run(['lint', join(folder, 'bad.docx')], NOWHERE);
    expect(code).toBe(1);
    expect(lines).toHaveLength(2);
    expect(lines).toEqual([
      expect.stringMatching(/^word\/document\.xml:2: .+\.  "\{\{#if Paid\}\}"$/),
      expect.stringMatching(/^word\/document\.xml:3: .*frobnicate.*  "\{\{frobnicate Name\}\}"$/),
    ]);
    expect(stderr).toMatch(/^2 errors, \d fields?\.\n$/);
  });

  test('warns of fonts that this machine lacks', async () => {
    const inFont = (font: string) =>
      `<w:r><w:rPr><w:rFonts w:ascii="${font}"/></w:rPr><w:t>Hello</w:t></w:r>`;
    const bytes = docx(`<w:p>${inFont('Nobody Has This')}${inFont('Liberation Sans')}</w:p>`);
    const folder = await files({ 'fonts.docx': bytes });
    const ran = await run(['lint', join(folder, 'fonts.docx')], NOWHERE);
    expect(ran).toMatchObject({
      code: 0,
      stdout: 'warning: The font "Nobody Has This" is not installed: another one will be taken.\n',
      stderr: '1 warning, 0 fields.\n',
    });
    const json = await run(['lint', join(folder, 'fonts.docx'), '--json'], NOWHERE);
    expect(documents(json.stdout)).toMatchObject([{ missingFonts: ['Nobody Has This'] }]);
  });

  test('holds it against a sample', async () => {
    const folder = await files({ 'good.docx': GOOD, 's.json': '{"Nmae": "Ada", "Lines": []}' });
    const argv = ['lint', join(folder, 'good.docx'), '--data', join(folder, 's.json')];
    const ran = await run(argv, NOWHERE);
    expect(ran.code).toBe(1);
    expect(ran.lines[0]).toMatch(
      /^word\/document\.xml:1: "Name" is not in the sample\. Did you mean "Nmae"\?  "Dear/,
    );
    const [report] = documents((await run([...argv, '--json'], NOWHERE)).stdout);
    expect(report).toMatchObject({ ok: false, problems: [{ code: 'unknown_path' }, {}] });
  });

  test('lists the fields, each once', async () => {
    const folder = await files({ 'good.docx': GOOD });
    const argv = ['lint', join(folder, 'good.docx'), '--fields'];
    expect((await run(argv, NOWHERE)).lines).toEqual([
      'FIELD          FIRST AT',
      'Lines          word/document.xml:2',
      'Lines[].Price  word/document.xml:2',
      'Name           word/document.xml:1',
    ]);
    expect(await run([...argv, '-q'], NOWHERE)).toMatchObject({
      stdout: 'Lines\nLines[].Price\nName\n',
      stderr: '',
    });
  });

  test('says what is no template at all', async () => {
    const folder = await files({ 'x.docx': 'hello' });
    const ran = await run(['lint', join(folder, 'x.docx')], NOWHERE);
    expect(ran.code).toBe(1);
    expect(ran.lines).toEqual([expect.stringMatching(/\.$/)]);
    expect(await run(['lint', folder], NOWHERE)).toMatchObject({
      code: 2,
      stderr: `"${folder}" is a folder, not a file.\n`,
    });
    const none = join(folder, 'none.docx');
    expect((await run(['lint', none], NOWHERE)).stderr).toBe(`File not found: "${none}".\n`);
  });
});
