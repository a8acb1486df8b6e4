import { describe, expect, it } from 'vitest';
import { isLong } from '../../scripts/need.mjs';
import { docx, p, r } from '../test/builder.ts';
import { compile, lint } from './index.ts';

/** Each of these took minutes in the long suite's size while the work grew with the square of it. */
const sized = (count: number): number => (isLong ? count : count / 10);

/** A field whose name has ended and that holds many others. */
function fieldOfFields(count: number): string {
  const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  const word = '<w:r><w:instrText>IF A </w:instrText></w:r>';
  return mark('begin') + (word + mark('begin') + word + mark('end')).repeat(count) + mark('end');
}

/** Elements that declare a namespace each, at the bottom of others that do. */
function nestedNamespaces(depth: number, count: number): string {
  const outer = Array.from({ length: depth }, (_, i) => `<w:smartTag xmlns:n${i}="urn:${i}">`);
  const inner = '<w:p xmlns="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>';
  return outer.join('') + inner.repeat(count) + '</w:smartTag>'.repeat(depth);
}

/** A paragraph that is joined with the next one. */
const MARKED = `<w:p><w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr>${r('x')}</w:p>`;

function ranges(count: number): string {
  const one = (i: number) =>
    `<w:bookmarkStart w:id="${i}" w:name="b${i}"/><w:bookmarkEnd w:id="${i}"/>`;
  return Array.from({ length: count }, (_, i) => one(i)).join('');
}

function bookmarks(count: number): string {
  return `<w:p>${ranges(count)}</w:p>`;
}

describe('a document with very many', () => {
  it.each([
    ['spaces in a tag', `<w:p${' '.repeat(sized(2_000_000))}/>`],
    ['spaces in a value', `<w:p w:rsidR="1" w:x="${' '.repeat(sized(2_000_000))}"/>`],
    [
      'attributes',
      `<w:p ${Array.from({ length: sized(50_000) }, (_, i) => `a${i}=""`).join(' ')}/>`,
    ],
    ['fields in a field', `<w:p>${fieldOfFields(sized(20_000))}</w:p>`],
    ['namespaces in depth', nestedNamespaces(150, sized(5_000))],
    ['deleted paragraph marks', MARKED.repeat(sized(60_000)) + p('end')],
    ['bookmarks in a loop', p('{{#each L}}') + bookmarks(sized(90_000)) + p('{{/each}}')],
    ['inserted runs', `<w:p><w:ins w:id="1">${'<w:r/>'.repeat(sized(200_000))}</w:ins></w:p>`],
    [
      'ranges after a deleted mark',
      MARKED + ranges(sized(75_000)) + '<w:tbl><w:tr><w:tc/></w:tr></w:tbl>',
    ],
  ])('%s take time by their number only', (_what, body) => {
    expect(lint(docx(body)).ok).toBe(true);
  });

  it('styles that are based on one another take time by their number only', () => {
    const count = sized(40_000);
    const styles = Array.from(
      { length: count },
      (_, i) =>
        `<w:style w:type="paragraph" w:styleId="s${i}"><w:basedOn w:val="s${i - 1}"/>${i === 0 ? '<w:pPr><w:numPr/></w:pPr>' : ''}` +
        `<w:rPr><w:rFonts w:ascii="F${i % 3}"/></w:rPr></w:style>`,
    ).join('');
    const used = `<w:p><w:pPr><w:pStyle w:val="s${count - 1}"/></w:pPr></w:p>`.repeat(sized(1_000));
    expect(lint(docx(used, { styles })).fonts).toEqual(['F0', 'F1', 'F2']);
  });

  it('blocks in one paragraph, or sections, take time by their number only', () => {
    const crowded = `<w:p>${r('{{#if A}}{{/if}}').repeat(sized(9_000))}</w:p>`;
    const section = '<w:p><w:pPr><w:sectPr/></w:pPr></w:p>';
    const sections = (p('{{#if A}}') + section + p('{{/if}}')).repeat(sized(9_000));
    const linked = `<w:p>${r('{{link A "x"}}').repeat(sized(9_000))}</w:p>`;
    // Each took from 5 s to 30 s when something was asked per tag of all the others; now under 1 s.
    for (const body of [crowded, sections, linked]) compile(docx(body)).merge({});
  });
});
