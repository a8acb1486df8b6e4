import { describe, expect, it } from 'vitest';
import { docx, p, r, relationship, table } from '../test/builder.ts';
import { compile, lint } from './index.ts';

describe('lint', () => {
  it('lists every problem, each with part, paragraph and snippet', () => {
    const body =
      p('fine {{A}}') + p('open {{#if B}}') + p('{{Wrong Words}}') + p('{{/each}}') + p('cut {{C');
    const report = lint(docx(body, { header: p('{{D..E}}') }));
    expect(report.ok).toBe(false);
    expect(report.problems.map(({ code, part, paragraph }) => [code, part, paragraph])).toEqual([
      ['unknown_helper', 'word/document.xml', 3],
      ['unclosed_tag', 'word/document.xml', 5],
      ['unbalanced_block', 'word/document.xml', 4],
      ['unbalanced_block', 'word/document.xml', 2],
      ['bad_tag', 'word/header1.xml', 1],
    ]);
    expect(report.problems[1]?.snippet).toBe('cut {{C');
    expect(report.fields.map(({ path }) => path)).toContain('A');
  });

  it('lists fields with their absolute paths, and blocks with what they repeat', () => {
    const body =
      p('{{Account.Name}} {{currency (sum Order.Lines "Amount") "EUR"}}') +
      table([
        [
          '{{#each Order.Lines}}{{Name}} {{../Account.Id}} {{@root.X}} {{this.Sku}}',
          '{{#if gt Qty 1}}{{@index}}{{image Photo}}{{/if}}{{/each}}',
        ],
      ]) +
      p('{{#each Tags}}{{this}}{{/each}}');
    const { fields, blocks, ok } = lint(docx(body));
    expect(ok).toBe(true);
    expect(fields.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
      'Account.Name value',
      'Order.Lines list',
      'Order.Lines[].Amount value',
      'Order.Lines list',
      'Order.Lines[].Name value',
      'Account.Id value',
      'X value',
      'Order.Lines[].Sku value',
      'Order.Lines[].Qty condition',
      'Order.Lines[].Photo image',
      'Tags list',
      'Tags[] value',
    ]);
    expect(blocks.map(({ kind, level, paragraph }) => [kind, level, paragraph])).toEqual([
      ['each', 'row', 2],
      ['if', 'paragraph', 3],
      ['each', 'inline', 4],
    ]);
  });

  const body =
    p('{{Account.Nmae}} {{Account.Name__formatted}} {{#if Account.Odd}}x{{/if}}') +
    p(
      '{{#each Lines}}{{Qty}} {{Quantity}} {{../Account.Name}}{{/each}} {{Lines.0.Qty}} {{Lines.length}}',
    );
  const unknown = (report: ReturnType<typeof lint>) =>
    report.problems.filter(({ code }) => code === 'unknown_path').map(({ message }) => message);

  it('checks paths against a sample', () => {
    const sample = { Account: { Name: 'x' }, Lines: [{}, { Qty: 1 }] };
    expect(unknown(lint(docx(body), { sample }))).toEqual([
      '"Account.Nmae" is not in the sample. Did you mean "Name"?',
      '"Account.Odd" is not in the sample.',
      '"Lines[].Quantity" is not in the sample.',
    ]);
    expect(
      unknown(lint(docx(p('{{#each L}}{{Any}}{{/each}}{{N.x}}')), { sample: { L: [], N: null } })),
    ).toEqual([]);
    expect(
      unknown(
        lint(docx(p('{{#each L}}{{Id}}{{No}}{{/each}}')), {
          sample: { L: { records: [{ Id: 1 }] } },
        }),
      ),
    ).toEqual(['"L[].No" is not in the sample.']);
  });

  it('looks for a path outwards as a merge does, and says where both have the name', () => {
    const template = docx(
      p('{{#each Lines}}{{Name}} {{Currency}} {{this.Currency}} {{Customer.Name}}{{/each}}'),
    );
    const sample = {
      Name: 'outer',
      Currency: 'EUR',
      Customer: { Name: 'x' },
      Lines: [{ Name: 'item' }],
    };
    const found = (report: ReturnType<typeof lint>) =>
      report.problems.map(({ severity, code, message }) => [severity, code, message]);
    const both =
      'An item of the list without "Name" shows that from further out: the data has "Lines[].Name" and "Name". Write {{this.Name}} for the item alone.';
    expect(found(lint(template, { sample }))).toEqual([
      ['error', 'unknown_path', '"Lines[].Currency" is not in the sample.'],
      ['warning', 'name_in_both', both],
    ]);
    const text = { type: 'string' };
    const schema = {
      properties: {
        Name: text,
        Currency: text,
        Customer: { properties: { Name: text } },
        Lines: { items: { properties: { Name: text } } },
      },
    };
    expect(found(lint(template, { schema }))).toEqual([
      ['error', 'unknown_path', '"Lines[].Currency" is not in the schema.'],
      ['warning', 'name_in_both', both],
    ]);
    expect(lint(template).problems).toEqual([]);
    const own = docx(p('{{#each Lines}}{{this.Name}} {{../Name}} {{@root.Name}}{{/each}}'));
    expect(lint(own, { sample }).problems).toEqual([]);
  });

  it('offers names with spaces in the brackets that they need', () => {
    const sample = { 'First Name': 'x', 'Net Amount': 1, Customer: { 'Nr.': 1 } };
    const tags = '{{[Frist Name]}} {{currency Net Amount}} {{Customer.Nr}} {{Customer.[Nr.]}}';
    expect(unknown(lint(docx(p(tags)), { sample }))).toEqual([
      '"Frist Name" is not in the sample. Did you mean "[First Name]"?',
      '"Net" is not in the sample. Did you mean "[Net Amount]"?',
      '"Amount" is not in the sample.',
      '"Customer.Nr" is not in the sample. Did you mean "[Nr.]"?',
    ]);
  });

  it('checks paths against a JSON Schema', () => {
    const schema = {
      type: 'object',
      properties: {
        Account: { $ref: '#/$defs/account' },
        Lines: {
          type: 'array',
          items: { anyOf: [{ properties: { Qty: { type: 'number' } } }, { type: 'null' }] },
        },
      },
      $defs: {
        account: {
          type: 'object',
          properties: { Name: { type: 'string' }, Parent: { $ref: '#/$defs/account' } },
        },
      },
    };
    expect(unknown(lint(docx(body), { schema }))).toEqual([
      '"Account.Nmae" is not in the schema. Did you mean "Name"?',
      '"Account.Odd" is not in the schema.',
      '"Lines[].Quantity" is not in the schema.',
    ]);
    expect(
      unknown(lint(docx(p('{{Account.Parent.Parent.Name}} {{Account.Name.Deep}}')), { schema })),
    ).toEqual(['"Account.Name.Deep" is not in the schema.']);
  });

  it('warns of what is taken out, and of tags where none are filled', () => {
    const report = lint(
      docx(p('x'), {
        relationships:
          relationship('rIdA', 'attachedTemplate', 'file:///t.dotm', true) +
          relationship('rIdC', 'chart', 'charts/chart1.xml') +
          relationship('rIdR', 'comments', 'comments.xml'),
        files: {
          'word/charts/chart1.xml': '<a>{{A}}</a>',
          'word/comments.xml': '<a>{{B}}</a>',
        },
      }),
    );
    expect(report.ok).toBe(true);
    expect(report.problems.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
      'warning stripped',
      'warning tag_not_filled',
    ]);
  });
});

describe('fonts', () => {
  const styles =
    '<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:asciiTheme="minorHAnsi" w:eastAsiaTheme="minorEastAsia"/></w:rPr></w:rPrDefault></w:docDefaults>' +
    '<w:style w:type="paragraph" w:styleId="Used"><w:basedOn w:val="Base"/><w:rPr><w:rFonts w:ascii="Used Font"/></w:rPr></w:style>' +
    '<w:style w:type="paragraph" w:styleId="Base"><w:basedOn w:val="Used"/><w:rPr><w:rFonts w:hAnsi="Base Font"/></w:rPr></w:style>' +
    '<w:style w:type="paragraph" w:styleId="Unused"><w:rPr><w:rFonts w:ascii="Unused Font"/></w:rPr></w:style>';
  const theme =
    '<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:themeElements><a:fontScheme name="x"><a:majorFont><a:latin typeface="Major"/></a:majorFont><a:minorFont><a:latin typeface="Minor Theme"/></a:minorFont></a:fontScheme></a:themeElements></a:theme>';
  const bytes = docx(
    `<w:p><w:pPr><w:pStyle w:val="Used"/></w:pPr>${r('x', '<w:rPr><w:rFonts w:ascii="Arial" w:cs="A &amp; B"/></w:rPr>')}</w:p>`,
    {
      styles,
      relationships: relationship('rIdT', 'theme', 'theme/theme1.xml'),
      files: { 'word/theme/theme1.xml': theme },
    },
  );

  it('are those that the text, its styles and its theme name', () => {
    expect(compile(bytes).fonts).toEqual([
      'A & B',
      'Arial',
      'Base Font',
      'Minor Theme',
      'Used Font',
    ]);
  });

  it('that the machine lacks are listed', () => {
    const report = lint(bytes, {
      installedFonts: ['Liberation Sans', 'used font', 'Base Font', 'a & b'],
    });
    expect(report.missingFonts).toEqual(['Minor Theme']);
    expect(report.problems.map(({ code }) => code)).toEqual(['missing_font']);
  });
});

describe('a report has its end', () => {
  it('lists the first thousand fields and blocks, and says that there are more', () => {
    const paragraphs = Array.from({ length: 1_500 }, (_, n) =>
      p(`{{#if A${n}}}{{B${n}}}{{/if}}`),
    ).join('');
    const { ok, fields, blocks, problems } = lint(docx(paragraphs));
    expect([ok, fields.length, blocks.length]).toEqual([true, 1_000, 1_000]);
    expect(problems).toEqual([
      {
        severity: 'warning',
        code: 'report_shortened',
        message: expect.stringContaining('3000 fields and 1500 blocks'),
      },
    ]);
    expect(compile(docx(paragraphs)).fields).toHaveLength(3_000);
  });
});
