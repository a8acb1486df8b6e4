import { describe, expect, it } from 'vitest';
import { bodyXml, docx, p, r, table, tc } from '../test/builder.ts';
import { merged, mergedFile } from '../test/merge.ts';
import { faults, textLines } from '../test/read.ts';
import { compile } from './index.ts';

/** As other programs write it: every element on a line of its own. */
function spread(xml: string): string {
  return xml.replace(/>(?=<)/g, '>\n  ');
}

const BOOKMARK = '<w:bookmarkStart w:id="9" w:name="m"/><w:bookmarkEnd w:id="9"/>';

describe('a template with white space between its elements', () => {
  it('loses a table without rows, and a row without cells', () => {
    const body = spread(table([['{{#each L}}{{this}}', 'x{{/each}}']]) + p('end'));
    expect(merged(body, { L: [] })).toEqual(['end']);
    expect(merged(body, { L: ['a'] })).toEqual(['a | x', 'end']);
    const columns = spread(table([['{{#each L by=column}}{{this}}{{/each}}']]) + p('end'));
    expect(merged(columns, { L: [] })).toEqual(['end']);
  });

  it('leaves a cell, a text box and the body a paragraph', () => {
    const block = p('{{#if A}}') + p('x') + p('{{/if}}');
    const box = `<w:p><w:r><w:pict><v:shape id="s"><v:textbox><w:txbxContent>${block}</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>`;
    expect(merged(spread(table([[block, 'c']]) + box), {})).toEqual([' | c', '', '']);
    expect(merged(spread(block), {})).toEqual(['']);
  });

  it('is written like the same template without it', () => {
    const body =
      p('{{#each L}}') +
      table([['{{this}}', `${p('{{#if @first}}')}${p('f')}${p('{{/if}}')}`]]) +
      p('{{/each}}') +
      `<w:p><w:pPr><w:jc w:val="right"/></w:pPr>${r('{{#if', '<w:rPr><w:b/></w:rPr>')}${r(' L}}')}${r('y{{/if}}')}</w:p>`;
    const data = { L: [1, 2] };
    expect(bodyXml(mergedFile(spread(body), data))).toBe(bodyXml(mergedFile(body, data)));
  });

  it('keeps the spaces of its text', () => {
    expect(merged(spread(p('a', ' ', '{{A}}', ' ', 'b')), { A: 'x' })).toEqual(['a x b']);
  });
});

describe('structure', () => {
  it('is not judged by what stands last: a bookmark does not make a cell or a table full', () => {
    const cell = tc(`${BOOKMARK}${p('{{#if A}}')}${p('x')}${p('{{/if}}')}`);
    const one = (inner: string) =>
      `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>${inner}</w:tbl>`;
    const marked = cell.replace(
      '</w:tc>',
      `${BOOKMARK.replaceAll('9', '8').replace('"m"', '"n"')}</w:tc>`,
    );
    expect(merged(one(`<w:tr>${marked}</w:tr>`), {})).toEqual(['']);
    const rows = `<w:tr>${tc(p('{{#each L by=row}}{{this}}{{/each}}'))}</w:tr>`;
    expect(merged(one(BOOKMARK + rows) + p('end'), { L: [] })).toEqual(['end']);
  });

  it('is shown an empty cell before anything is merged', () => {
    const body = `<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc/><w:tc><w:tcPr/>${table([['a']])}</w:tc></w:tr></w:tbl>`;
    expect(merged(body + p('{{A}}'), { A: 'x' })).toEqual([' | [a]/', 'x']);
  });

  it('keeps two tables of a loop apart, whatever stands between them', () => {
    const body = p('{{#each L}}') + table([['{{this}}']]) + BOOKMARK + p('{{/each}}');
    const output = compile(docx(body)).merge({ L: [1, 2] });
    expect(faults(output)).toEqual([]);
    expect(textLines(output)).toEqual(['1', '', '2']);
  });
});
