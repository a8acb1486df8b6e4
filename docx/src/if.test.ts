import { describe, expect, it } from 'vitest';
import { PAGE_BREAK, SECTION, bodyXml, docx, p, partXml, r, table } from '../test/builder.ts';
import { merged } from '../test/merge.ts';
import { faults, textLines } from '../test/read.ts';
import { compile } from './index.ts';

describe('if', () => {
  it('chooses a branch, inline and in paragraphs', () => {
    const body = p('{{#if A}}yes{{else if B}}perhaps{{else}}no{{/if}}');
    expect(merged(body, { A: true })).toEqual(['yes']);
    expect(merged(body, { B: 1 })).toEqual(['perhaps']);
    expect(merged(body, {})).toEqual(['no']);
    const blocks =
      p('{{#if A}}') + p('a') + p('{{else if B}}') + p('b') + p('{{else}}') + p('c') + p('{{/if}}');
    expect(merged(blocks, { A: 1 })).toEqual(['a']);
    expect(merged(blocks, { B: 1 })).toEqual(['b']);
    expect(merged(blocks, {})).toEqual(['c']);
  });

  it('leaves no blank line when it fills its paragraph', () => {
    const body = p('a') + p('{{#if X}}seen{{/if}}') + p('b');
    expect(merged(body, {})).toEqual(['a', 'b']);
    expect(merged(body, { X: 1 })).toEqual(['a', 'seen', 'b']);
  });

  it.each([
    ['eq A 1', true],
    ['eq A "1"', true],
    ['eq B "x"', true],
    ['ne B "x"', false],
    ['eq Missing null', true],
    ['gt A 0', true],
    ['gt A 1', false],
    ['gte A 1', true],
    ['lt A 2', true],
    ['lte A 0', false],
    ['gt Day "2025-01-31"', true],
    ['gt Missing 0', false],
    ['lt Missing 0', false],
    ['and A B', true],
    ['and A Missing', false],
    ['or Missing B', true],
    ['not Missing', true],
    ['and (gt A 0) (not (eq B "y"))', true],
    ['(eq A 1)', true],
    ['Zero', false],
    ['Empty', false],
    ['Text', false],
    ['None', false],
    ['L', true],
    ['gt (count L) 1', true],
  ])('{{#if %s}} is %s', (test, answer) => {
    const data = {
      A: 1,
      B: 'x',
      Zero: 0,
      Empty: [],
      Text: '',
      None: { records: [] },
      L: [1, 2],
      Day: '2025-02-01',
    };
    expect(merged(p(`{{#if ${test}}}true{{else}}false{{/if}}`), data)).toEqual([String(answer)]);
    expect(merged(p(`{{#unless ${test}}}true{{else}}false{{/unless}}`), data)).toEqual([
      String(!answer),
    ]);
  });

  it('removes a row, and the table with its last row', () => {
    const body = p('x') + table([['{{#if A}}a', 'b{{/if}}']]);
    expect(merged(body, { A: 1 })).toEqual(['x', 'a | b']);
    expect(merged(body, {})).toEqual(['x']);
  });

  it('has an else in a row of its own', () => {
    const body = table([
      ['{{#if A}}', ''],
      ['yes', 1].map(String),
      ['{{else}}', ''],
      ['no', '0'],
      ['{{/if}}', ''],
    ]);
    expect(merged(body, { A: 1 })).toEqual(['yes | 1']);
    expect(merged(body, {})).toEqual(['no | 0']);
  });

  it('leaves a paragraph in a cell, with the looks of the last', () => {
    const centred = `<w:p><w:pPr><w:jc w:val="center"/></w:pPr>${r('{{#if A}}a{{/if}}')}</w:p>`;
    expect(merged(table([[centred, 'b']]), {})).toEqual([' | b']);
    expect(bodyXml(compile(docx(table([[centred, 'b']]))).merge({}))).toContain(
      '</w:tcPr><w:p><w:pPr><w:jc w:val="center"/></w:pPr></w:p></w:tc>',
    );
  });

  it('leaves a paragraph after a table in a cell, and in a cell whose table vanished', () => {
    const inner = table([['{{#each L}}{{this}}', '{{/each}}']]) + p('{{#if A}}a{{/if}}');
    expect(merged(table([[inner, 'b']]), { L: [1] })).toEqual(['[1 | ]/ | b']);
    expect(merged(table([[inner, 'b']]), {})).toEqual([' | b']);
  });

  it('leaves a paragraph in an empty document', () => {
    expect(merged(p('{{#if A}}') + p('a') + p('{{/if}}'), {})).toEqual(['']);
  });

  it('keeps the section break of the paragraph that held its tag', () => {
    const section = `<w:sectPr>${SECTION}</w:sectPr>`;
    const closer = `<w:p><w:pPr>${section}</w:pPr>${r('{{/if}}')}</w:p>`;
    const output = compile(docx(p('a') + p('{{#if A}}') + p('b') + closer + p('c'))).merge({});
    expect(faults(output)).toEqual([]);
    expect(textLines(output)).toEqual(['a', '', 'c']);
    expect(partXml(output).match(/<w:sectPr>/g)).toHaveLength(2);
  });

  it('keeps the end of a section that began before what is removed', () => {
    const end = (width: number) =>
      `<w:p><w:pPr><w:sectPr><w:pgSz w:w="${width}" w:h="9"/></w:sectPr></w:pPr></w:p>`;
    const body =
      p('a') + p('{{#if A}}') + p('b') + end(111) + p('c') + end(222) + p('{{/if}}') + p('d');
    const widths = (data: unknown) =>
      [...partXml(compile(docx(body)).merge(data)).matchAll(/pgSz w:w="(\d+)"/g)].map(
        ([, width]) => width,
      );
    expect(widths({ A: 1 })).toEqual(['111', '222', '11906']);
    expect(widths({})).toEqual(['111', '11906']);
    // At the start of a section nothing before it needs the break.
    const fresh = end(99) + p('{{#if A}}') + p('c') + end(222) + p('{{/if}}') + p('d');
    expect(
      [...partXml(compile(docx(p('0') + fresh)).merge({})).matchAll(/pgSz w:w="(\d+)"/g)].map(
        ([, w]) => w,
      ),
    ).toEqual(['99', '11906']);
  });

  it('leaves no blank page between two page breaks', () => {
    const body = p('a') + PAGE_BREAK + p('{{#if A}}') + p('b') + p('{{/if}}') + PAGE_BREAK + p('c');
    expect(merged(body, {})).toEqual(['a', '[page]', 'c']);
    expect(merged(body, { A: 1 })).toEqual(['a', '[page]', 'b', '[page]', 'c']);
    // Two breaks that the author set stay two.
    expect(merged(PAGE_BREAK + PAGE_BREAK + p('{{X}}'), {})).toEqual(['[page]', '[page]', '']);
  });

  it('leaves a page break on its side of the tag', () => {
    const opener = `<w:p><w:r><w:br w:type="page"/></w:r>${r('{{#if A}}')}</w:p>`;
    const inside = `<w:p>${r('{{#if A}}')}<w:r><w:br w:type="page"/></w:r></w:p>`;
    expect(merged(opener + p('b') + p('{{/if}}') + p('c'), {})).toEqual(['[page]', 'c']);
    expect(merged(inside + p('b') + p('{{/if}}') + p('c'), {})).toEqual(['c']);
  });
});
