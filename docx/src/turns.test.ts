import { describe, expect, it } from 'vitest';
import { docx, p, partXml, r, relationship, table } from '../test/builder.ts';
import { faults, textLines } from '../test/read.ts';
import { compile } from './index.ts';

const bookmark = (name: string, inner: string, id = 3) =>
  `<w:p><w:bookmarkStart w:id="${id}" w:name="${name}"/>${inner}<w:bookmarkEnd w:id="${id}"/></w:p>`;
const link = (anchor: string) =>
  `<w:p><w:hyperlink w:anchor="${anchor}" w:history="1">${r('see')}</w:hyperlink></w:p>`;
const field = (...instruction: string[]) =>
  '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>' +
  instruction.map((text) => `<w:r><w:instrText>${text}</w:instrText></w:r>`).join('') +
  `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${r('1')}<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;
const each = (list: string, inner: string) => p(`{{#each ${list}}}`) + inner + p('{{/each}}');

function found(xml: string, pattern: RegExp): string[] {
  return [...xml.matchAll(pattern)].map((match) => match[1] ?? '');
}
const names = (xml: string) => found(xml, /w:bookmarkStart [^>]*w:name="([^"]*)"/g);

describe('a bookmark in a loop', () => {
  it('has a name and a number of its own in each turn, and both its ends', () => {
    const output = compile(docx(each('L', bookmark('here', r('{{this}}'))))).merge({
      L: ['a', 'b', 'c'],
    });
    expect(faults(output)).toEqual([]);
    expect(names(partXml(output))).toEqual(['here', 'here_2', 'here_3']);
  });

  it('is followed by links and fields of the same turn', () => {
    const inner =
      bookmark('here', r('{{this}}')) +
      link('here') +
      field(' PAGEREF here \\h ') +
      field(' REF ', 'here', ' \\h ') +
      field(' HYPERLINK \\l "here" ') +
      `<w:p><w:fldSimple w:instr=" REF here "><w:r><w:t>x</w:t></w:r></w:fldSimple></w:p>`;
    const output = compile(docx(each('L', inner) + link('here'))).merge({ L: ['a', 'b'] });
    const xml = partXml(output);
    expect(faults(output)).toEqual([]);
    expect(found(xml, /w:anchor="([^"]*)"/g)).toEqual(['here', 'here_2', 'here']);
    expect(found(xml, /PAGEREF (\S+)/g)).toEqual(['here', 'here_2']);
    expect(found(xml, /REF <\/w:instrText><\/w:r><w:r><w:instrText>(\S+?)</g)).toEqual([
      'here',
      'here_2',
    ]);
    expect(found(xml, /\\l "([^"]*)"/g)).toEqual(['here', 'here_2']);
    expect(found(xml, /> REF (\S+) </g)).toEqual(['here', 'here_2']);
  });

  it('is counted on over the turns of an outer loop, and reached from an inner one', () => {
    const inner = each('M', bookmark('in', r('{{this}}'), 4) + link('in') + link('out'));
    const output = compile(docx(each('L', bookmark('out', r('x')) + inner))).merge({
      L: [{ M: [1, 2] }, { M: [3] }],
    });
    expect(faults(output)).toEqual([]);
    expect(names(partXml(output))).toEqual(['out', 'in', 'in_2', 'out_2', 'in_3']);
    expect(found(partXml(output), /w:anchor="([^"]*)"/g)).toEqual([
      'in',
      'out',
      'in_2',
      'out',
      'in_3',
      'out_2',
    ]);
  });

  it('goes with a page break, and is lost as a whole where rich text takes its paragraph', () => {
    const page = bookmark('page', '<w:r><w:br w:type="page"/></w:r>');
    const html = `<w:p><w:bookmarkStart w:id="5" w:name="rich"/>${r('{{html this}}')}</w:p><w:p><w:bookmarkEnd w:id="5"/></w:p>`;
    const output = compile(docx(each('L', page + html))).merge({ L: ['<p>a</p>', 'b'] });
    expect(faults(output)).toEqual([]);
    expect(names(partXml(output))).toEqual(['page', 'page_2']);
  });

  it('takes no name that another one has, and none that is too long for Word', () => {
    const long = 'x'.repeat(40);
    const body =
      each('L', bookmark('a', r('1')) + bookmark(long, r('2'), 5)) + bookmark('a_2', r('3'), 6);
    const output = compile(docx(body)).merge({ L: [1, 2] });
    expect(faults(output)).toEqual([]);
    for (const name of names(partXml(output))) expect(name.length).toBeLessThanOrEqual(40);
  });
});

describe('a note that a loop refers to', () => {
  const reference = '<w:p><w:r><w:footnoteReference w:id="2"/></w:r></w:p>';
  const footnotes =
    `<w:footnote w:id="1">${p('plain')}</w:footnote>` +
    `<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r>${r('{{N}} of {{../A}}')}</w:p></w:footnote>`;

  it('is one for each turn, with the data of that turn', () => {
    const template = compile(
      docx(each('L', p('{{N}}') + reference) + reference.replace('"2"', '"1"'), { footnotes }),
    );
    const output = template.merge({ A: 'all', L: [{ N: 'x' }, { N: 'y' }] }, { strict: true });
    const ids = found(partXml(output), /footnoteReference w:id="(\d+)"/g);
    expect(new Set(ids).size).toBe(3);
    const notes = partXml(output, 'word/footnotes.xml');
    expect(found(notes, /<w:footnote w:id="(\d+)"/g).toSorted()).toEqual(ids.toSorted());
    expect(textLines(output, 'word/footnotes.xml')).toEqual([
      '',
      '',
      'plain',
      'x of all',
      'y of all',
    ]);
    expect(template.fields.map(({ path }) => path)).toEqual(['L', 'L[].N', 'L[].N', 'A']);
    expect(textLines(template.merge({ L: [] }), 'word/footnotes.xml')).toEqual(['', '', 'plain']);
  });

  it('is one for each turn when no tag is in it', () => {
    const plain = `<w:footnote w:id="2">${bookmark('m', r('same'))}</w:footnote>`;
    const output = compile(docx(each('L', reference), { footnotes: plain })).merge({ L: [1, 2] });
    expect(faults(output)).toEqual([]);
    expect(textLines(output, 'word/footnotes.xml')).toEqual(['', '', 'same', 'same']);
  });

  it('has its pictures fetched', () => {
    const withPicture = `<w:footnote w:id="2">${p('{{image Photo}}')}</w:footnote>`;
    const template = compile(docx(each('L', reference), { footnotes: withPicture }));
    expect(template.imagesNeeded({ L: [{ Photo: 'https://a.example/1.png' }, {}] })).toEqual([
      'https://a.example/1.png',
    ]);
  });
});

const NUMBERING =
  '<w:abstractNum w:abstractNumId="4"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/></w:lvl></w:abstractNum>' +
  '<w:abstractNum w:abstractNumId="5"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>' +
  '<w:num w:numId="1"><w:abstractNumId w:val="4"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="5"/></w:num>';
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const STYLES =
  '<w:style w:type="paragraph" w:styleId="Steps"><w:name w:val="Steps"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>' +
  '<w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="1"/></w:pPr></w:style>';
const item = (text: string, { list = 1, level = 0 } = {}) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr>${r(text)}</w:p>`;
const styled = (style: string, text: string) =>
  `<w:p><w:pPr><w:pStyle w:val="${style}"/><w:jc w:val="left"/></w:pPr>${r(text)}</w:p>`;

/** The lists of the paragraphs, in order, and the lists of the numbering part. */
function lists(body: string, data: unknown): { used: string[]; defined: string[]; xml: string } {
  const output = compile(
    docx(body, {
      styles: STYLES,
      relationships: relationship('rIdN', 'numbering', 'numbering.xml'),
      files: { 'word/numbering.xml': `<w:numbering ${W}>${NUMBERING}</w:numbering>` },
      overrides: {
        'word/numbering.xml':
          'application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml',
      },
    }),
  ).merge(data);
  expect(faults(output)).toEqual([]);
  const xml = partXml(output, 'word/numbering.xml');
  return {
    used: found(partXml(output), /<w:numId w:val="(\d+)"\/>/g),
    defined: found(xml, /<w:num w:numId="(\d+)"/g),
    xml,
  };
}

describe('a list inside a loop', () => {
  const data = {
    S: [
      { T: 'a', I: [1, 2] },
      { T: 'b', I: [3] },
      { T: 'c', I: [4] },
    ],
  };

  it('begins again with each turn of the loop around it', () => {
    const { used, defined, xml } = lists(each('S', p('{{T}}') + each('I', item('{{this}}'))), data);
    expect(used).toEqual(['1', '1', '3', '4']);
    expect(defined).toEqual(['1', '2', '3', '4']);
    expect(xml).toContain(
      '<w:num w:numId="3"><w:abstractNumId w:val="4"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="3"/></w:lvlOverride>',
    );
  });

  it('begins again when it has several items of its own', () => {
    const body = each('S', p('{{T}}') + item('first') + item('below', { level: 1 }) + item('last'));
    expect(lists(body, data).used).toEqual(['1', '1', '1', '3', '3', '3', '4', '4', '4']);
  });

  it('begins with the first turn when the list was used before', () => {
    const body = item('before') + each('S', p('{{T}}') + each('I', item('{{this}}')));
    expect(lists(body, data).used).toEqual(['1', '3', '3', '4', '5']);
  });

  it('begins again in the rows of a table', () => {
    const body = table([['{{#each S}}{{T}}', `${each('I', item('{{this}}'))}${p('{{/each}}')}`]]);
    expect(lists(body, data).used).toEqual(['1', '1', '3', '4']);
  });

  it('begins again when a style numbers it', () => {
    const body = each('S', p('{{T}}') + each('I', styled('Steps', '{{this}}')));
    const { used } = lists(body, data);
    expect(used).toEqual(['1', '1', '3', '4']);
  });

  it('goes on in a loop over its items, with or without text between them', () => {
    expect(lists(each('S', item('{{T}}')), data).defined).toEqual(['1', '2']);
    expect(lists(each('S', item('{{T}}') + p('explained')), data).used).toEqual(['1', '1', '1']);
    expect(
      lists(each('S', item('{{T}}') + each('I', item('{{this}}', { level: 1 }))), data).defined,
    ).toEqual(['1', '2']);
    expect(
      lists(each('S', item('{{T}}') + p('x') + each('I', item('{{this}}', { level: 1 }))), data)
        .defined,
    ).toEqual(['1', '2']);
  });

  it('is left alone when it is bullets or headings', () => {
    const bullets = each('S', p('{{T}}') + each('I', item('{{this}}', { list: 2 })));
    expect(lists(bullets, data).defined).toEqual(['1', '2']);
    const headings = each('S', p('{{T}}') + styled('Heading2', 'a') + styled('Heading2', 'b'));
    expect(lists(headings, data).defined).toEqual(['1', '2']);
  });
});
