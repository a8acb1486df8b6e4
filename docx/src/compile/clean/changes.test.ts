import { describe, expect, it } from 'vitest';
import { bodyXml, docx, p, r, table, tc } from '../../../test/builder.ts';
import { merged, mergedFile } from '../../../test/merge.ts';
import { random } from '../../../test/random.ts';
import { faults } from '../../../test/read.ts';
import { compile } from '../../index.ts';

const BY = 'w:id="1" w:author="a" w:date="2026-01-01T00:00:00Z"';
const ins = (inner: string) => `<w:ins ${BY}>${inner}</w:ins>`;
const del = (text: string) =>
  `<w:del ${BY}><w:r><w:delText xml:space="preserve">${text}</w:delText></w:r></w:del>`;
const smartTag = (inner: string) =>
  `<w:smartTag w:uri="urn:x" w:element="place"><w:smartTagPr><w:attr w:name="a" w:val="b"/></w:smartTagPr>${inner}</w:smartTag>`;
/** A paragraph with a tracked change of its mark. */
const marked = (mark: string, inner: string, style = 'First') =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/><w:rPr><w:${mark} ${BY}/></w:rPr></w:pPr>${inner}</w:p>`;
const row = (inner: string, properties = '') => `<w:tr>${properties}${inner}</w:tr>`;
const DELETED_ROW = `<w:trPr><w:del ${BY}/></w:trPr>`;
const rows = (...inner: string[]) =>
  `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>${inner.join('')}</w:tbl>`;
const deletedCell = (inner: string) =>
  `<w:tc><w:tcPr><w:tcW w:w="9" w:type="dxa"/><w:cellDel ${BY}/></w:tcPr>${inner}</w:tc>`;

describe('a deleted paragraph mark', () => {
  it.each([
    ['in an insertion', ins(r('{{A}}'))],
    ['in a smart tag', smartTag(r('{{A}}'))],
    ['in both', smartTag(ins(r('{{A}}')))],
    ['moved here', `<w:moveTo ${BY}>${r('{{A}}')}</w:moveTo>`],
    ['as it is', r('{{A}}')],
  ])('joins its text %s with the next paragraph', (_, inner) => {
    expect(merged(marked('del', inner) + p(' and after'), { A: 'x' })).toEqual(['x and after']);
  });

  it('joins over several paragraphs, and a tag that they share is whole', () => {
    const body = marked('del', r('{{')) + marked('del', del('old')) + p('A', '}}!');
    expect(merged(body, { A: 'x' })).toEqual(['x!']);
  });

  it('leaves the properties of the last one, whose mark is kept', () => {
    const last = `<w:p><w:pPr><w:pStyle w:val="Last"/></w:pPr>${r('b')}</w:p>`;
    const xml = bodyXml(mergedFile(marked('del', r('a')) + last + p('{{A}}'), {}));
    expect(xml).toContain('Last');
    expect(xml).not.toContain('First');
  });

  it('takes a section break with it', () => {
    const section = `<w:p><w:pPr><w:rPr><w:del ${BY}/></w:rPr><w:sectPr><w:type w:val="nextPage"/></w:sectPr></w:pPr>${r('a')}</w:p>`;
    expect(bodyXml(mergedFile(section + p('b{{A}}'), {}))).not.toContain('nextPage');
  });

  it('vanishes before a table when nothing is left, and stays with its text otherwise', () => {
    expect(merged(marked('del', del('gone')) + table([['{{A}}']]) + p('z'), { A: 'x' })).toEqual([
      'x',
      'z',
    ]);
    expect(merged(marked('del', r('kept')) + table([['{{A}}']]) + p('z'), { A: 'x' })).toEqual([
      'kept',
      'x',
      'z',
    ]);
  });

  it('stays at the end of a cell, which cannot be without a paragraph', () => {
    const cell = tc(p('a') + marked('del', del('b')));
    expect(merged(rows(row(cell)) + p('{{A}}'), { A: 'x' })).toEqual(['a/', 'x']);
  });

  it('joins into and out of content controls', () => {
    const control = (inner: string) =>
      `<w:sdt><w:sdtPr/><w:sdtContent>${inner}</w:sdtContent></w:sdt>`;
    expect(merged(marked('del', r('a')) + control(p('{{A}}')), { A: 'x' })).toEqual(['ax']);
    expect(merged(control(marked('del', r('{{A}}'))) + p('b'), { A: 'x' })).toEqual(['xb']);
  });

  it('is also one that was moved away', () => {
    const moved = marked('moveFrom', `<w:moveFrom ${BY}>${r('{{Gone}}')}</w:moveFrom>`);
    expect(merged(p('a') + moved + p('{{A}}'), { A: 'x' })).toEqual(['a', 'x']);
  });

  it('keeps a bookmark whole, or takes both its ends', () => {
    const start = '<w:bookmarkStart w:id="7" w:name="here"/>';
    const end = '<w:bookmarkEnd w:id="7"/>';
    const joined = mergedFile(marked('del', `${start}${r('{{A}}')}`) + end + p('b'), {});
    expect(bodyXml(joined)).toContain('here');
    const half = `<w:p><w:del ${BY}>${start}</w:del>${r('{{A}}')}${end}</w:p>`;
    expect(bodyXml(mergedFile(half, {}))).not.toContain('bookmark');
  });
});

describe('tracked changes of tables', () => {
  it('take deleted rows and cells', () => {
    const body = rows(
      row(tc(p('{{A}}')) + deletedCell(p('cut'))),
      row(tc(p('gone')), DELETED_ROW),
      row(deletedCell(p('cut'))),
    );
    expect(merged(body, { A: 'x' })).toEqual(['x']);
  });

  it('take a table without rows, and leave its cell a paragraph', () => {
    const gone = rows(row(tc(p('gone')), DELETED_ROW));
    expect(merged(gone + p('{{A}}'), { A: 'x' })).toEqual(['x']);
    expect(merged(rows(row(tc(gone) + tc(p('{{A}}')))), { A: 'x' })).toEqual([' | x']);
  });

  it('take a row whose text was moved away', () => {
    const moved = row(tc(marked('moveFrom', `<w:moveFrom ${BY}>${r('m')}</w:moveFrom>`)));
    expect(merged(rows(row(tc(p('{{A}}'))), moved), { A: 'x' })).toEqual(['x']);
  });

  it('merge cells where the merge was tracked, with the properties in their order', () => {
    const cell = (merge: string, text: string) =>
      `<w:tc><w:tcPr><w:tcW w:w="9" w:type="dxa"/><w:shd w:val="clear"/><w:cellMerge ${BY} w:vMerge="${merge}"/></w:tcPr>${p(text)}</w:tc>`;
    const xml = bodyXml(mergedFile(rows(row(cell('rest', '{{A}}')), row(cell('cont', ''))), {}));
    expect(xml).toContain('<w:vMerge w:val="restart"/><w:shd');
    expect(xml).toContain('<w:vMerge w:val="continue"/><w:shd');
  });
});

describe('other tracked changes', () => {
  it('leave no trace', () => {
    const body =
      `<w:p><w:pPr><w:numPr><w:ins ${BY}/></w:numPr><w:pPrChange ${BY}><w:pPr/></w:pPrChange></w:pPr>` +
      `<w:r><w:rPr><w:b/><w:rPrChange ${BY}><w:rPr/></w:rPrChange></w:rPr><w:t>{{A}}</w:t></w:r>` +
      '<w:r><w:delText>old</w:delText><w:delInstrText>PAGE</w:delInstrText></w:r></w:p>';
    expect(bodyXml(mergedFile(body, { A: 'x' }))).toBe(
      '<w:p><w:pPr/><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">x</w:t></w:r></w:p>',
    );
  });

  it('are accepted in equations', () => {
    const math = (inner: string) =>
      `<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">${inner}</m:oMath>`;
    const run = (text: string, change = '') => `<m:r>${change}<m:t>${text}</m:t></m:r>`;
    const fraction = `<m:f><m:fPr><m:ctrlPr><w:del ${BY}/></m:ctrlPr></m:fPr><m:num><w:del ${BY}>${run('n')}</w:del></m:num></m:f>`;
    const body = `<w:p>${r('{{A}}')}${math(run('a', `<w:ins ${BY}><w:rPr/></w:ins>`) + run('b', `<w:del ${BY}><w:rPr/></w:del>`) + fraction)}</w:p>`;
    const xml = bodyXml(mergedFile(body, {}));
    expect(xml).toContain('<m:r><w:rPr/><m:t>a</m:t></m:r></m:oMath>');
  });
});

/** Documents at random, as models from which both the file and what a reader must see are written. */
interface Run {
  readonly text: string;
  readonly change: 'none' | 'ins' | 'del' | 'moveFrom' | 'moveTo' | 'smartTag' | 'smartIns';
}
type Block =
  | { readonly kind: 'paragraph'; readonly mark: string; readonly runs: readonly Run[] }
  | { readonly kind: 'control'; readonly blocks: readonly Block[] }
  | { readonly kind: 'table'; readonly rows: readonly Row[] };
interface Row {
  readonly deleted: boolean;
  readonly cells: readonly { readonly deleted: boolean; readonly blocks: readonly Block[] }[];
}
type Next = (below: number) => number;

const many = <T>(next: Next, most: number, make: () => T): T[] =>
  Array.from({ length: 1 + next(most) }, make);

function someRuns(next: Next): Run[] {
  const changes = ['none', 'ins', 'moveTo', 'smartTag', 'smartIns'] as const;
  const gone = ['del', 'moveFrom'] as const;
  return many(next, 3, () => {
    const change = changes[next(5)] ?? 'none';
    if (next(3) === 0) return [{ text: 'xyz'[next(3)] ?? '', change: gone[next(2)] ?? 'del' }];
    if (next(3) > 0) return [{ text: 'abcdef'[next(6)] ?? '', change }];
    // A tag that was edited: its two halves around something deleted.
    return [
      { text: '{{', change },
      { text: 'B', change: 'del' as const },
      { text: 'A}}', change: changes[next(5)] ?? 'none' },
    ];
  }).flat();
}

function someBlocks(next: Next, depth: number): Block[] {
  return many(next, 4, (): Block => {
    const kind = depth < 2 ? next(5) : 4;
    if (kind === 0) return { kind: 'control', blocks: someBlocks(next, depth + 1) };
    if (kind === 1) {
      const cell = () => ({ deleted: next(4) === 0, blocks: someBlocks(next, depth + 1) });
      const makeRow = () => ({ deleted: next(4) === 0, cells: many(next, 2, cell) });
      return { kind: 'table', rows: many(next, 2, makeRow) };
    }
    const marks = ['', '', 'ins', 'del', 'moveFrom', 'moveTo'];
    return {
      kind: 'paragraph',
      mark: marks[next(6)] ?? '',
      runs: next(4) === 0 ? [] : someRuns(next),
    };
  });
}

function runXml({ text, change }: Run): string {
  if (change === 'none') return r(text);
  if (change === 'del') return del(text);
  if (change === 'smartTag') return smartTag(r(text));
  if (change === 'smartIns') return smartTag(ins(r(text)));
  return `<w:${change} ${BY}>${r(text)}</w:${change}>`;
}

function xmlOf(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.kind === 'control')
        return `<w:sdt><w:sdtPr/><w:sdtContent>${xmlOf(block.blocks)}</w:sdtContent></w:sdt>`;
      if (block.kind === 'table')
        return rows(
          ...block.rows.map(({ deleted, cells }) =>
            row(
              cells
                .map((cell) =>
                  cell.deleted
                    ? deletedCell(xmlOf(cell.blocks) + p('end'))
                    : tc(xmlOf(cell.blocks) + p('end')),
                )
                .join(''),
              deleted ? DELETED_ROW : '',
            ),
          ),
        );
      const inner = block.runs.map(runXml).join('');
      return block.mark === '' ? `<w:p>${inner}</w:p>` : marked(block.mark, inner);
    })
    .join('');
}

/** What is left when all changes are accepted, written down straight from the model. */
function acceptedText(blocks: readonly Block[]): string {
  let carried: string | undefined;
  const release = () => {
    const left = carried ? `(${carried})` : '';
    carried = undefined;
    return left;
  };
  const read = (list: readonly Block[]): string =>
    list
      .map((block) => {
        if (block.kind === 'control') return read(block.blocks);
        if (block.kind === 'table') {
          const left = block.rows
            .filter(({ deleted }) => !deleted)
            .map(({ cells }) => cells.filter(({ deleted }) => !deleted))
            .filter((cells) => cells.length > 0);
          if (left.length === 0) return '';
          const inside = left.map((cells) =>
            cells.map((cell) => `{${acceptedText([...cell.blocks, paragraph('end')])}}`).join(''),
          );
          return `${release()}[${inside.join(';')}]`;
        }
        const text = (carried ?? '') + shown(block.runs);
        carried = block.mark === 'del' || block.mark === 'moveFrom' ? text : undefined;
        return carried === undefined ? `(${text})` : '';
      })
      .join('');
  return read(blocks) + release();
}

const paragraph = (text: string): Block => ({
  kind: 'paragraph',
  mark: '',
  runs: [{ text, change: 'none' }],
});
const shown = (runs: readonly Run[]) =>
  runs
    .filter(({ change }) => change !== 'del' && change !== 'moveFrom')
    .map(({ text }) => text)
    .join('')
    .replaceAll('{{A}}', '*');

const SIGNS: readonly [RegExp, string][] = [
  [/<w:(?:tblPr|tcPr|pPr|sdtPr|trPr)\b[^>]*\/>/g, ''],
  [/<w:(tblGrid|tcPr|pPr)>[^]*?<\/w:\1>/g, ''],
  [/<w:tbl>/g, '['],
  [/<\/w:tr><\/w:tbl>/g, ']'],
  [/<\/w:tr>/g, ';'],
  [/<w:tc>/g, '{'],
  [/<\/w:tc>/g, '}'],
  [/<w:p>/g, '('],
  [/<\/w:p>/g, ')'],
  [/<[^>]*>/g, ''],
];

describe('documents with changes at random', () => {
  it('have the text of the accepted document, and are sound', () => {
    for (let seed = 0; seed < 400; seed++) {
      const blocks = [...someBlocks(random(seed), 0), paragraph('{{A}}')];
      const output = compile(docx(xmlOf(blocks))).merge({ A: '*' });
      expect(faults(output), `seed ${seed}`).toEqual([]);
      const seen = SIGNS.reduce((xml, [sign, to]) => xml.replace(sign, to), bodyXml(output));
      expect(seen, `seed ${seed}`).toBe(acceptedText(blocks));
    }
  });
});
