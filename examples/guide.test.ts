import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TemplateError, compile, lint } from '@millrace/docx';
import { describe, expect, it } from 'vitest';
import { sectionsOf } from '../docs/test/markdown.ts';
import { docx, li, p, table } from '../docx/test/builder.ts';
import { textLines } from '../docx/test/read.ts';

/** What the guide for authors says is so: every tag in it compiles, and gives what stands beside it. */

const guide = readFileSync(join(import.meta.dirname, '../docs/templates.md'), 'utf8');
const sections = sectionsOf(guide);
const blocks = sections.flatMap((section) => section.blocks);
const data: unknown = JSON.parse(blocks.find(({ language }) => language === 'json')?.text ?? '');

/** The tables of the guide, each row with the heading of its second column. */
const rows = sections.flatMap(({ text }) => {
  let heading = '';
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    if (!line.startsWith('| ')) return [];
    const [first = '', second = ''] = cellsOf(line);
    if (lines[index + 1]?.startsWith('|---')) heading = second;
    return [{ heading, first, second }];
  });
});
const under = (heading: string) =>
  rows
    .filter((row) => row.heading === heading && row.second !== heading)
    .map(({ first, second }): [string, string] => [codeIn(first)[0] ?? '', second]);

describe('the guide for authors', () => {
  it.each(under('You get'))('%s gives %s', (tag, text) => {
    expect(textLines(compile(docx(p(tag))).merge(data)).map(plain)).toEqual([text]);
  });

  it.each(under('Code'))('%s is refused as %s', (tag, code) => {
    expect(refusal(docx(p(tag)))).toBe(codeIn(code)[0]);
  });

  it.each(under('Failure'))('%s fails the document as %s', (tag, code) => {
    const merge = () => compile(docx(p(tag))).merge(data, { strict: true });
    expect(merge).toThrow(expect.objectContaining({ code: codeIn(code)[0] }) as Error);
  });

  it('lists all that lint warns of', () => {
    const source = readFileSync(join(import.meta.dirname, '../docx/src/lint.ts'), 'utf8');
    const codes = [...source.matchAll(/warning\(\s*'(\w+)'/g)].map(([, code = '']) => code);
    const listed = under('Warning');
    expect(new Set(listed.map(([, code]) => codeIn(code)[0]))).toEqual(new Set(codes));
    for (const [text, code] of listed.filter(([shown]) => shown !== '')) {
      const problems = lint(docx(p(text))).problems.map((problem) => problem.code);
      expect(new Set(problems)).toEqual(new Set(codeIn(code)));
    }
  });

  const drawn = blocks.flatMap(({ language, text }, index): [string, string][] =>
    language === 'template' ? [[text, blocks[index + 1]?.text ?? '']] : [],
  );
  it.each(drawn)('%s', (template, result) => {
    expect(textLines(compile(drawing(template)).merge(data)).map(plain)).toEqual(
      result.split('\n').map((line) => (isRow(line) ? cellsOf(line).join(' | ') : plain(line))),
    );
  });

  it('shows no tag that does not compile', () => {
    const wrong = new Set(under('Code').map(([tag]) => tag));
    const shown = codeIn(guide).filter((code) => code.includes('{{') && !wrong.has(code));
    expect(shown.length).toBeGreaterThan(80);
    const body = (code: string) =>
      code.includes('by=row') ? table([[completed(code)]]) : p(completed(code));
    const refused = shown.filter((code) => refusal(docx(body(code))) !== undefined);
    expect(refused).toEqual([]);
  });
});

/** As the guide draws it: a line is a paragraph, `- ` an item of a list, `| a | b |` a row. */
function drawing(text: string): Buffer {
  let body = '';
  let open: string[][] = [];
  const close = () => {
    if (open.length > 0) body += table(open);
    open = [];
  };
  for (const line of text.split('\n')) {
    if (isRow(line)) {
      open.push(cellsOf(line));
      continue;
    }
    close();
    body += line.startsWith('- ') ? li(line.slice(2)) : p(line);
  }
  close();
  return docx(body);
}

const isRow = (line: string) => line.startsWith('|');

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Intl puts narrow and hard spaces where a reader sees a space. */
function plain(text: string): string {
  return text
    .replace(/^- /, '')
    .replaceAll(/[\u00a0\u202f]/g, ' ')
    .trim();
}

function codeIn(text: string): string[] {
  return [...text.matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, code = '']) => code);
}

/** The sentence may speak of one end of a block alone: the other one is put to it. */
function completed(code: string): string {
  const opened = /^\{\{#(each|if|unless)[^}]*\}\}$/.exec(code)?.[1];
  if (opened !== undefined) return `${code}x{{/${opened}}}`;
  const closed = /^\{\{\/(each|if|unless)\}\}$/.exec(code)?.[1];
  return closed === undefined ? code : `{{#${closed} Lines}}x${code}`;
}

function refusal(bytes: Buffer): string | undefined {
  try {
    compile(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateError) return error.code;
    throw error;
  }
}
