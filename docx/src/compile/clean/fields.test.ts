import { describe, expect, it } from 'vitest';
import { bodyXml, docx, p, partXml, r, relationship, unzip } from '../../../test/builder.ts';
import { merged } from '../../../test/merge.ts';
import { faults, textLines } from '../../../test/read.ts';
import { TemplateError, type MergeOptions, compile, lint } from '../../index.ts';

function failure(body: string, data: unknown = {}, options?: MergeOptions): TemplateError {
  try {
    compile(docx(body)).merge(data, options);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

describe('a field', () => {
  it('is replaced by its value, at any depth', () => {
    expect(
      merged(p('Dear {{Account.Owner.Name}},'), { Account: { Owner: { Name: 'Ann' } } }),
    ).toEqual(['Dear Ann,']);
  });

  it('may be spread over runs, with marks between them', () => {
    const body =
      `<w:p>${r('To {')}<w:proofErr w:type="spellStart"/>${r('{Acc', '<w:rPr><w:b/></w:rPr>')}<w:bookmarkStart w:id="1" w:name="x"/>` +
      `${r('ount.Na')}<w:bookmarkEnd w:id="1"/><w:proofErr w:type="spellEnd"/>${r('me}')}${r('}!')}</w:p>`;
    expect(merged(body, { Account: { Name: 'Mill & Race <Ltd>' } })).toEqual([
      'To Mill & Race <Ltd>!',
    ]);
  });

  it('leaves no empty runs of a tag that was spread', () => {
    const output = compile(docx(p('{{Na', 'me', '}}'))).merge({ Name: 'x' });
    expect(bodyXml(output)).toBe('<w:p><w:r><w:t xml:space="preserve">x</w:t></w:r></w:p>');
  });

  it('keeps the looks of the run in which it starts', () => {
    const body = `<w:p>${r('{{A', '<w:rPr><w:b/></w:rPr>')}${r('}} b')}</w:p>`;
    expect(bodyXml(compile(docx(body)).merge({ A: 'a' }))).toContain(
      '<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">a</w:t></w:r>',
    );
  });

  it('ignores hard spaces, zero-width marks and breaks inside the braces', () => {
    const body = `<w:p><w:r><w:t>{{\u00a0Na\u200bme</w:t><w:br/><w:t> }}</w:t></w:r></w:p>`;
    expect(merged(body, { Name: 'x' })).toEqual(['x']);
  });

  it('takes curly quotes for plain ones', () => {
    expect(
      merged(p('{{#if eq Stage “Won”}}yes{{/if}} {{default Nick ‘friend’}}'), { Stage: 'Won' }),
    ).toEqual(['yes friend']);
  });

  it('writes line breaks and tabs as Word wants them', () => {
    expect(merged(p('{{A}}'), { A: 'one\ntwo\r\nthree\tfour' })).toEqual(['one\ntwo\nthree\tfour']);
    expect(bodyXml(compile(docx(p('{{A}}'))).merge({ A: 'a\nb' }))).toContain(
      'a</w:t><w:br/><w:t xml:space="preserve">b',
    );
  });

  it('leaves out what XML cannot hold', () => {
    expect(merged(p('{{A}}'), { A: 'a\u0000b\u0008c\ufffed\ud800e\u{1f600}' })).toEqual([
      'abcd\ufffde😀',
    ]);
  });

  it('never becomes markup', () => {
    expect(merged(p('{{A}}'), { A: '</w:t></w:r><w:r/>||<b>||{{B}}', B: 'no' })).toEqual([
      '</w:t></w:r><w:r/>||<b>||{{B}}',
    ]);
  });

  it('is empty when the data has none, null or an object', () => {
    expect(merged(p('[{{A}}{{B.C}}{{N}}{{O}}]'), { N: null, O: { x: 1 } })).toEqual(['[]']);
  });

  it.each([
    [0, '0'],
    [12.5, '12.5'],
    [true, 'true'],
    [false, 'false'],
    [['a', 'b'], 'a, b'],
    [Number.NaN, ''],
  ])('writes %j as %j', (value, text) => {
    expect(merged(p('<{{A}}>'), { A: value })).toEqual([`<${text}>`]);
  });

  it('reaches own properties only', () => {
    const body = p(
      '[{{constructor.name}}{{__proto__.x}}{{A.constructor}}{{toString}}{{L.length}}{{L.map}}{{A.length}}]',
    );
    expect(merged(body, { A: 'text', L: [1, 2] })).toEqual(['[2]']);
  });

  it('reaches nothing that is inherited', () => {
    const data: unknown = Object.assign(Object.create({ secret: 'inherited' }) as object, {
      A: 'own',
    });
    expect(
      merged(p('[{{A}}{{secret}}{{#if __proto__}}x{{/if}}{{#if constructor}}y{{/if}}]'), data),
    ).toEqual(['[own]']);
  });

  it('reaches items by their number', () => {
    expect(merged(p('{{L.1.N}} {{L[0].N}}'), { L: [{ N: 'a' }, { N: 'b' }] })).toEqual(['b a']);
  });

  it('may have any name in brackets, as headers of spreadsheets have', () => {
    const data = {
      'First Name': 'Ada',
      'Nr.': 7,
      endif: 'e',
      Customer: { 'Net Amount': 5, A: { 'b c': [1] } },
      'Order Lines': [{ 'Unit (pcs)': 2, Amount: 1 }],
    };
    const body =
      p('{{[First Name]}} {{[First\u00a0Name]}} {{[ Nr. ]}} {{[endif]}} {{upper [First Name]}}') +
      p('{{currency Customer.[Net Amount] "EUR"}} {{Customer.A.[b c].0}} {{Customer.A.[b c][0]}}') +
      p('{{#each [Order Lines]}}{{this.[Unit (pcs)]}}{{../[First Name]}}{{@root.[Nr.]}}{{/each}}') +
      p('{{sum [Order Lines] "Unit (pcs)"}} {{join [Order Lines] "[Unit (pcs)]"}}') +
      p('{{#if eq [First Name] "Ada"}}yes{{/if}} {{default [Last Name] [First Name]}}');
    expect(merged(body, data)).toEqual(['Ada Ada 7 e ADA', '€5.00 1 1', '2Ada7', '2 2', 'yes Ada']);
    const { fields, problems } = lint(docx(body), { sample: { ...data, 'Last Name': '' } });
    expect(problems).toEqual([]);
    expect(fields.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'First Name',
        '[Nr.]',
        'Customer.Net Amount',
        'Order Lines[].Unit (pcs)',
      ]),
    );
  });

  it('can be written literally with a backslash, and comments vanish', () => {
    expect(merged(p('\\{{A}} {{! not seen }}{{A}}'), { A: 'x' })).toEqual(['{{A}} x']);
  });

  it('has the entities of the file decoded', () => {
    const body =
      '<w:p><w:r><w:t>{{#if eq A &quot;x&amp;y&quot;}}&lt;ok&gt;{{/if}}</w:t></w:r></w:p>';
    expect(merged(body, { A: 'x&y' })).toEqual(['<ok>']);
  });
});

describe('strict mode', () => {
  it('names the missing field and its place', () => {
    const error = failure(
      p('first') + p('Dear {{Account.Name}}!'),
      { Account: {} },
      { strict: true },
    );
    expect(error).toMatchObject({
      code: 'missing_field',
      part: 'word/document.xml',
      paragraph: 2,
      snippet: 'Dear {{Account.Name}}!',
    });
    expect(error.message).toContain('Account.Name');
  });

  it('accepts null, conditions on what is missing, and defaults', () => {
    const body = p('{{A}}{{#if B}}b{{else}}c{{/if}}{{default C "d"}}{{#if eq D 1}}e{{/if}}');
    expect(merged(body, { A: null }, { strict: true })).toEqual(['cd']);
  });

  it.each([
    ['{{A}}', { Name: 'x' }, '"A" has no text but fields of its own: write one, as in {{A.Name}}.'],
    ['{{A}}', { 'First Name': 'x' }, 'as in {{A.[First Name]}}.'],
    ['{{A}}', [{ N: 1 }], '"A" is a list whose items have no text: write {{#each A}}'],
    ['{{A}}', [[1], 2], '"A" is a list whose items have no text'],
    ['{{A}}', Number.NaN, '"A" is NaN, which is no number to print.'],
    ['{{A}}', Infinity, '"A" is Infinity, which is no number to print.'],
    ['{{A}}', new Date(Number.NaN), '"A" is no valid date.'],
    ['{{upper A}}', { N: 1 }, '"A" has no text but fields of its own'],
    ['{{default B A}}', { N: 1 }, 'The value has no text but fields of its own'],
    ['{{html A}}', { N: 1 }, '"A" has no text but fields of its own'],
    ['{{qr A}}', { N: 1 }, '"A" has no text but fields of its own'],
    ['{{link A "x"}}', { N: 1 }, '"A" has no text but fields of its own'],
  ])('refuses %s of %j, which has no text', (tag, A, sentence) => {
    const error = failure(p(tag), { A }, { strict: true });
    expect(error).toMatchObject({ code: 'bad_value', paragraph: 1 });
    expect(error.message).toContain(sentence);
    expect(merged(p(`<${tag}>`), { A }).join()).toMatch(/^<.*>$/);
  });

  it.each([
    [['a', 1, null], 'a, 1, '],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [[], ''],
  ])('prints %j', (A, text) => {
    expect(merged(p('<{{A}}>'), { A }, { strict: true })).toEqual([`<${text}>`]);
  });

  it('refuses a missing list, and what is none', () => {
    expect(failure(p('{{#each L}}x{{/each}}'), {}, { strict: true }).code).toBe('missing_field');
    expect(failure(p('{{#each L}}x{{/each}}'), { L: 5 }, { strict: true }).code).toBe('not_a_list');
  });
});

describe('a tag that is wrong', () => {
  it.each([
    ['{{Name', 'unclosed_tag'],
    ['{{Name {{Other}}', 'unclosed_tag'],
    ['{{}}', 'bad_tag'],
    ['{{A B}}', 'unknown_helper'],
    ['{{#Items}}{{/Items}}', 'bad_tag'],
    ['{{#each}}{{/each}}', 'bad_tag'],
    ['{{A..B}}', 'bad_tag'],
    ['{{@root.x.}}', 'bad_tag'],
    ['{{@nothing}}', 'bad_tag'],
    ['{{eq A}}', 'bad_tag'],
    ['{{#if (eq A 1}}x{{/if}}', 'bad_tag'],
    ['{{default A "x}}', 'bad_tag'],
    ['{{image A colour=red}}', 'bad_tag'],
    ['{{#each eq A B}}{{/each}}', 'bad_tag'],
    [`{{#if ${'('.repeat(40)}A${')'.repeat(40)}}}x{{/if}}`, 'bad_tag'],
    ['{{A + B}}', 'unknown_helper'],
    ['{{upper (image A)}}', 'bad_tag'],
    ['{{#if qr A}}x{{/if}}', 'bad_tag'],
    ["{{A.constructor('x')()}}", 'bad_tag'],
  ])('%s is %s', (source, code) => {
    const error = failure(p('before') + p(source));
    expect(error).toMatchObject({ code, paragraph: 2 });
    expect(error.snippet).toContain(source.slice(0, 5));
  });
});

describe('tags in other parts', () => {
  it('are filled in headers, footers and footnotes', () => {
    const template = compile(
      docx(p('{{A}}') + '<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>', {
        header: p('H {{A}}'),
        footer: p('F {{#each L}}{{this}};{{/each}}'),
        footnotes: `<w:footnote w:id="1">${p('N {{A}}')}</w:footnote>`,
      }),
    );
    const output = template.merge({ A: 'a', L: [1, 2] });
    expect(textLines(output, 'word/header1.xml')).toEqual(['H a']);
    expect(textLines(output, 'word/footer1.xml')).toEqual(['F 1;2;']);
    expect(textLines(output, 'word/footnotes.xml')).toEqual(['', '', 'N a']);
    expect(template.fields.map(({ part }) => part)).toContain('word/footnotes.xml');
  });

  it('are filled in text boxes, which the file holds twice', () => {
    const box = (inner: string) =>
      '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:extent cx="900000" cy="300000"/><wp:docPr id="7" name="Box"/>' +
      '<a:graphic><a:graphicData uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:cNvSpPr/><wps:spPr/><wps:txbx>' +
      `<w:txbxContent>${inner}</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice>` +
      `<mc:Fallback><w:pict><v:shape id="_x0000_s1026" o:spid="_x0000_s1026"><v:textbox><w:txbxContent>${inner}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback>` +
      '</mc:AlternateContent></w:r></w:p>';
    const inner = p('{{#if A}}') + p('{{A}}') + p('{{/if}}');
    const template = compile(docx(p('{{#each L}}') + box(inner) + p('{{/each}}')));
    const output = template.merge({ L: [{ A: 'x' }, {}] });
    expect(faults(output)).toEqual([]);
    expect(textLines(output).filter((line) => line.includes('x'))).toEqual(['x', 'x']);
    // Both copies have the same numbers, and what they ask for is listed once.
    expect(template.fields.map(({ path, paragraph }) => [path, paragraph])).toEqual([
      ['L', 1],
      ['L[].A', 3],
      ['L[].A', 4],
    ]);
  });

  it('are filled in content controls, which lose their binding and placeholder', () => {
    const body =
      '<w:sdt><w:sdtPr><w:id w:val="5"/><w:showingPlcHdr/><w:dataBinding w:xpath="/x" w:storeItemID="{1}"/><w:text/></w:sdtPr>' +
      `<w:sdtContent>${p('{{A}}')}</w:sdtContent></w:sdt>`;
    const output = compile(docx(body)).merge({ A: 'x' });
    expect(textLines(output)).toEqual(['x']);
    expect(partXml(output)).not.toMatch(/dataBinding|showingPlcHdr/);
    const looped = compile(docx(p('{{#each L}}') + body + p('{{/each}}'))).merge({
      L: [{ A: 1 }, { A: 2 }],
    });
    expect(faults(looped)).toEqual([]);
    expect(textLines(looped)).toEqual(['1', '2']);
  });

  it('leave no trace of comments, in the text nor beside it', () => {
    const body =
      `<w:p><w:commentRangeStart w:id="0"/>${r('{{Na')}<w:commentRangeEnd w:id="0"/>` +
      '<w:r><w:rPr><w:rStyle w:val="CommentReference"/></w:rPr><w:commentReference w:id="0"/></w:r>' +
      `${r('me}}')}</w:p>`;
    const kinds = ['comments', 'commentsExtended', 'commentsIds', 'commentsExtensible', 'people'];
    const template = compile(
      docx(body, {
        relationships: kinds.map((kind) => relationship(kind, kind, `${kind}.xml`)).join(''),
        files: Object.fromEntries(kinds.map((kind) => [`word/${kind}.xml`, '<a>too dear</a>'])),
      }),
    );
    const output = template.merge({ Name: 'x' });
    expect(faults(output)).toEqual([]);
    expect(bodyXml(output)).toBe('<w:p><w:r><w:t xml:space="preserve">x</w:t></w:r></w:p>');
    expect([...unzip(output).keys()].filter((name) => /comment|people/i.test(name))).toEqual([]);
    expect(partXml(output, 'word/_rels/document.xml.rels')).not.toMatch(/comment|people/i);
    expect(template.stripped).toEqual([]);
  });

  it('see tracked changes as accepted', () => {
    const body =
      `<w:p>${r('{{Na')}<w:ins w:id="1" w:author="a">${r('me')}</w:ins><w:del w:id="2" w:author="a"><w:r><w:delText>{{Old}}</w:delText></w:r></w:del>${r('}}')}</w:p>` +
      '<w:p><w:pPr><w:rPr><w:del w:id="3"/></w:rPr></w:pPr><w:del w:id="4"><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>' +
      table2();
    const output = compile(docx(body)).merge({ Name: 'x' });
    expect(textLines(output)).toEqual(['x', 'kept']);
    expect(partXml(output)).not.toMatch(/w:ins|w:del/);
  });
});

function table2(): string {
  const row = (text: string, properties = '') =>
    `<w:tr>${properties}<w:tc>${p(text)}</w:tc></w:tr>`;
  return `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>${row('kept')}${row('cut', '<w:trPr><w:del w:id="9"/></w:trPr>')}</w:tbl>`;
}

describe('the merged file', () => {
  it('is the same for the same input', () => {
    const template = compile(docx(p('{{A}}')));
    expect(template.merge({ A: 1 })).toEqual(template.merge({ A: 1 }));
    expect(template.merge({ A: 1 })).not.toEqual(template.merge({ A: 2 }));
  });

  it('does not change when the next one is merged', () => {
    const template = compile(docx(p('{{A}}')));
    const first = template.merge({ A: 'first' });
    template.merge({ A: 'second' });
    expect(textLines(first)).toEqual(['first']);
  });

  it('says what it holds in memory', () => {
    const small = compile(docx(p('{{A}}'))).size;
    const large = compile(docx(p('{{A}}') + p('x'.repeat(50_000)))).size;
    expect(small).toBeGreaterThan(500);
    expect(large - small).toBeGreaterThan(50_000);
  });
});
