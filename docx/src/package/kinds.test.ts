import { describe, expect, it } from 'vitest';
import {
  NAMESPACES,
  docx,
  p,
  partXml,
  r,
  relationship,
  relationships,
  unzip,
} from '../../test/builder.ts';
import { PNG } from '../../test/pictures.ts';
import { faults, textLines } from '../../test/read.ts';
import { TemplateError, compile, lint } from '../index.ts';

const names = (bytes: Uint8Array) => [...unzip(bytes).keys()];
const messages = (bytes: Uint8Array) =>
  lint(bytes)
    .problems.map(({ message }) => message)
    .join('\n');
const MAIN = relationship('rId1', 'officeDocument', 'word/document.xml');
const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

describe('the root of a file', () => {
  const ODT = {
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml':
      '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>',
    'META-INF/manifest.xml': '<manifest:manifest xmlns:manifest="urn:m"/>',
  };

  it.each(['customXml', 'thumbnail', 'header', 'image', 'extended-properties', 'nothing/known'])(
    'leads to no ODT through a relationship called %s',
    (kind) => {
      const hidden = Object.keys(ODT).map((name, i) => relationship(`rIdX${i}`, kind, name));
      const bytes = docx(p('{{A}}'), {
        files: { ...ODT, '_rels/.rels': relationships(MAIN + hidden.join('')) },
        relationships: hidden.map((each) => each.replace('Target="', 'Target="/')).join(''),
      });
      const output = compile(bytes).merge({ A: 'x' });
      expect(names(output)).not.toContain('mimetype');
      expect(names(output)).not.toContain('META-INF/manifest.xml');
      expect(partXml(output, '_rels/.rels')).not.toMatch(/mimetype|META-INF/);
      expect(textLines(output)).toEqual(['x']);
      expect(faults(output)).toEqual([]);
      if (kind !== 'thumbnail') expect(messages(bytes)).toContain('META-INF/manifest.xml');
    },
  );

  it.each([
    `x-${WORD}.document.main+xml`,
    `${WORD}.document.main+xml `,
    'application/vnd.oasis.opendocument.text',
    'application/xml',
    'application/vnd.ms-word.document.macroEnabledTemplate.main+xml',
  ])('is refused when its main document says that it is "%s"', (mainType) => {
    expect(() => compile(docx(p('x'), { mainType }))).toThrow(TemplateError);
  });

  it.each([
    `${WORD}.document.main+xml`,
    `${WORD}.template.main+xml`,
    'application/vnd.ms-word.document.macroEnabled.main+xml',
    'application/vnd.ms-word.template.macroEnabledTemplate.main+xml',
  ])('may say %s, and becomes a plain document', (mainType) => {
    const output = compile(docx(p('x'), { mainType })).merge({});
    expect(partXml(output, '[Content_Types].xml')).toContain(
      `PartName="/word/document.xml" ContentType="${WORD}.document.main+xml"`,
    );
  });

  it('leads to one main document', () => {
    const second = relationship('rId2', 'officeDocument', 'word/styles.xml');
    const bytes = docx(p('one'), { files: { '_rels/.rels': relationships(MAIN + second) } });
    expect(partXml(compile(bytes).merge({}), '_rels/.rels')).not.toContain('styles.xml');
    expect(messages(bytes)).toContain('officeDocument "word/styles.xml"');
  });

  it('is known by the whole of a type, not by its last word', () => {
    const odd = MAIN.replace('http://schemas.openxmlformats.org', 'http://example.com');
    const bytes = docx(p('x'), { files: { '_rels/.rels': relationships(odd) } });
    expect(() => compile(bytes)).toThrow('The file has no main document.');
  });
});

describe('a part is read as what it is related as', () => {
  const header = `<w:hdr ${NAMESPACES}><w:altChunk r:id="rIdK"/>${p('Head {{A}}')}</w:hdr>`;
  const section = '<w:sectPr><w:headerReference w:type="default" r:id="rIdH"/></w:sectPr>';

  it.each(['header1.bin', 'header1.png', 'header1'])('a header called %s', (name) => {
    const bytes = docx(p('x'), {
      section,
      relationships: relationship('rIdH', 'header', name),
      files: { [`word/${name}`]: header },
      overrides: { [`word/${name}`]: 'application/octet-stream' },
    });
    const output = compile(bytes).merge({ A: 'line' });
    expect(textLines(output, `word/${name}`)).toEqual(['Head line']);
    expect(partXml(output, `word/${name}`)).not.toContain('altChunk');
    expect(partXml(output, '[Content_Types].xml')).toContain(
      `PartName="/word/${name}" ContentType="${WORD}.header+xml"`,
    );
  });

  it('and as nothing else besides', () => {
    const bytes = docx(p('x'), {
      section,
      relationships:
        relationship('rIdH', 'header', 'header1.xml') +
        relationship('rIdF', 'footer', 'header1.xml') +
        relationship('rIdD', 'customXml', 'header1.xml'),
      files: { 'word/header1.xml': header },
    });
    const rels = partXml(compile(bytes).merge({}), 'word/_rels/document.xml.rels');
    expect(rels).toContain('rIdH');
    expect(rels).not.toMatch(/rIdF|rIdD/);
    expect(messages(bytes)).toContain('the footer "header1.xml"');
  });

  it('data of its own may use any names, and is copied as it is', () => {
    const item =
      '<w:altChunk xmlns:w="urn:mine" xmlns="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><p/></w:altChunk>';
    const output = compile(
      docx(p('x'), {
        relationships: relationship('rIdD', 'customXml', '../customXml/item1.xml'),
        files: { 'customXml/item1.xml': item },
      }),
    ).merge({});
    expect(partXml(output, 'customXml/item1.xml')).toBe(item);
  });
});

describe('a reference leads to what it may', () => {
  const drawing = (attribute: string) =>
    `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="1" cy="1"/><wp:docPr id="1" name="x"/><a:graphic><a:graphicData uri="u"><a:blip ${attribute}/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
  const parts = {
    relationships:
      relationship('rIdL', 'hyperlink', 'http://127.0.0.1/a.png', true) +
      relationship('rIdI', 'image', 'media/a.png') +
      relationship('rIdI', 'hyperlink', 'http://127.0.0.1/second.png', true) +
      relationship('rIdM', 'image', 'media/missing.png'),
    files: { 'word/media/a.png': PNG },
  };

  it.each([
    ['a picture', drawing('r:embed="rIdL"')],
    ['a linked picture', drawing('r:link="rIdL"')],
    ['a picture that is not there', drawing('r:embed="rIdM"')],
    ['a picture of no relationship', drawing('r:embed="rIdNone"')],
    [
      'a drawing of the old form',
      '<w:p><w:r><w:pict><v:shape id="s"><v:imagedata r:id="rIdL"/></v:shape></w:pict></w:r></w:p>',
    ],
    [
      'its other address',
      '<w:p><w:r><w:pict><v:shape id="s"><v:imagedata r:href="rIdL"/></v:shape></w:pict></w:r></w:p>',
    ],
    [
      'a fill',
      '<w:p><w:r><w:pict><v:rect id="s"><v:fill o:relid="rIdL"/></v:rect></w:pict></w:r></w:p>',
    ],
    ['a header', '<w:p><w:pPr><w:sectPr><w:headerReference r:id="rIdL"/></w:sectPr></w:pPr></w:p>'],
    ['an unknown element', '<w:p><w:unknown r:id="rIdL"/></w:p>'],
    ['a link to a picture', `<w:p><w:hyperlink r:id="rIdI">${r('text')}</w:hyperlink></w:p>`],
  ])('%s: otherwise it is cut, and lint says so', (_what, body) => {
    const bytes = docx(body + p('{{A}}'), parts);
    const output = compile(bytes).merge({ A: 1 });
    expect(partXml(output)).not.toMatch(/rId[LMIN]/);
    expect(partXml(output, 'word/_rels/document.xml.rels')).not.toContain('second.png');
    expect(faults(output)).toEqual([]);
    expect(messages(bytes)).toContain('a reference in ');
  });

  it('and stays where it does', () => {
    const body =
      drawing('r:embed="rIdI"') + `<w:p><w:hyperlink r:id="rIdL">${r('t')}</w:hyperlink></w:p>`;
    const output = partXml(compile(docx(body, parts)).merge({}));
    expect(output).toContain('<a:blip r:embed="rIdI"/>');
    expect(output).toContain('<w:hyperlink r:id="rIdL">');
  });
});
