import { describe, expect, it } from 'vitest';
import { docx, p, partXml, r, relationship, relationships } from '../../../test/builder.ts';
import { faults, textLines } from '../../../test/read.ts';
import { compile, lint } from '../../index.ts';

const linked = (id = 'rIdL', text = 'shop') =>
  `<w:p><w:hyperlink r:id="${id}" w:tooltip="To {{Name}}">${r(text)}</w:hyperlink></w:p>`;
const targets = (output: Uint8Array) =>
  [...partXml(output, 'word/_rels/document.xml.rels').matchAll(/Target="([^"]*)"/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !target.endsWith('.xml'));

function linkedTo(target: string, body = linked()): Buffer {
  return docx(body, { relationships: relationship('rIdL', 'hyperlink', target, true) });
}

describe('the address of a link', () => {
  it.each([
    ['{{Url}}', 'https://shop.example/a'],
    ['%7B%7BUrl%7D%7D', 'https://shop.example/a'],
    ['http://%7b%7bUrl%7d%7d/', 'https://shop.example/a/'],
    ['https://x.example/{{default%20Id%20%227%22}}', 'https://x.example/7'],
    ['https://x.example/?q=%7B%7BName%7D%7D&amp;v=1', 'https://x.example/?q=A%20B&amp;v=1'],
    ['mailto:{{Mail}}', 'mailto:a@b.example'],
  ])('%s is filled', (target, expected) => {
    const output = compile(linkedTo(target)).merge({
      Url: 'https://shop.example/a',
      Name: 'A B',
      Mail: 'a@b.example',
    });
    expect(faults(output)).toEqual([]);
    expect(targets(output)).toEqual([expected]);
    expect(textLines(output)).toEqual(['shop']);
    expect(partXml(output)).toContain('w:tooltip="To A B"');
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', '\\\\server\\share', 'data:x', ''])(
    'never leads to %j: the text stays',
    (Url) => {
      const template = compile(linkedTo('{{Url}}'));
      const output = template.merge({ Url });
      expect(targets(output)).toEqual([]);
      expect(partXml(output)).not.toContain('hyperlink');
      expect(textLines(output)).toEqual(['shop']);
      const strict = () => template.merge({ Url, Name: '' }, { strict: true });
      if (Url === '') expect(strict).not.toThrow();
      else expect(strict).toThrow(expect.objectContaining({ code: 'bad_value' }) as Error);
    },
  );

  it('is that of each turn, and listed as a field', () => {
    const template = compile(
      linkedTo('{{Url}}', p('{{#each L}}') + linked('rIdL', '{{Name}}') + p('{{/each}}')),
    );
    const output = template.merge({
      L: [{ Url: 'https://a.example' }, { Url: 'no' }, { Url: 'https://b.example', Name: 'b' }],
    });
    expect(faults(output)).toEqual([]);
    expect(targets(output)).toEqual(['https://a.example', 'https://b.example']);
    expect(textLines(output)).toEqual(['', '', 'b']);
    expect(template.fields.map(({ path }) => path)).toContain('L[].Url');
  });

  it('behind a picture is filled too', () => {
    const picture =
      '<w:p><w:r><w:drawing><wp:inline><wp:extent cx="1" cy="1"/><wp:docPr id="1" name="p" descr="Photo of {{Name}}" title="{{Name}}"><a:hlinkClick r:id="rIdL"/></wp:docPr></wp:inline></w:drawing></w:r></w:p>';
    const template = compile(linkedTo('{{Url}}', picture));
    const output = template.merge({ Url: 'https://a.example', Name: '"A" & B' });
    expect(targets(output)).toEqual(['https://a.example']);
    expect(partXml(output)).toContain('descr="Photo of &quot;A&quot; &amp; B"');
    expect(partXml(template.merge({ Url: 'file:///x' }))).toContain('<a:hlinkClick r:id=""/>');
  });

  it('holds plain values only', () => {
    expect(() => compile(linkedTo('{{#if A}}x{{/if}}'))).toThrow(
      expect.objectContaining({ code: 'tag_in_field_code' }) as Error,
    );
  });
});

describe('the address of a HYPERLINK field', () => {
  const field = (instruction: string) =>
    `<w:p><w:fldSimple w:instr="${instruction}">${r('shop')}</w:fldSimple></w:p>`;

  it.each([
    ['https://a.example/x', 'HYPERLINK "https://a.example/x"'],
    ['a.example', 'HYPERLINK "https://a.example"'],
    ['ftp://a.example', 'HYPERLINK ""'],
    ['file:///etc/passwd', 'HYPERLINK ""'],
    ['java\nscript:alert(1)', 'HYPERLINK ""'],
  ])('%j gives %s', (Url, expected) => {
    const output = compile(docx(field('HYPERLINK &quot;{{Url}}&quot;'))).merge({ Url });
    expect(partXml(output)).toContain(expected);
    expect(textLines(output)).toEqual(['shop']);
  });
});

describe('words that are no text', () => {
  it('of a watermark and of a VML picture are filled', () => {
    const body =
      '<w:p><w:r><w:pict><v:shape id="s" alt="{{A}}"><v:textpath string="For {{A}}"/></v:shape></w:pict></w:r></w:p>';
    const xml = partXml(compile(docx(body)).merge({ A: 'x\ny' }));
    expect(xml).toContain('string="For x&#10;y"');
    expect(xml).toContain('alt="x&#10;y"');
  });

  it('of the document properties are filled', () => {
    const type = 'http://schemas.openxmlformats.org';
    const core = `<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="urn:dc"><dc:title>Offer {{Number}}</dc:title><dc:creator>me</dc:creator></cp:coreProperties>`;
    const custom =
      '<Properties xmlns:vt="urn:vt"><property name="n"><vt:lpwstr>{{Name}}</vt:lpwstr></property></Properties>';
    const template = compile(
      docx(p('x'), {
        files: {
          'docProps/core.xml': core,
          'docProps/custom.xml': custom,
          '_rels/.rels': relationships(
            relationship('a', 'officeDocument', 'word/document.xml') +
              `<Relationship Id="b" Type="${type}/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/>` +
              relationship('c', 'custom-properties', 'docProps/custom.xml'),
          ),
        },
      }),
    );
    const output = template.merge({ Number: '<7>', Name: 'a & b' });
    expect(faults(output)).toEqual([]);
    expect(partXml(output, 'docProps/core.xml')).toContain('<dc:title>Offer &lt;7&gt;</dc:title>');
    expect(partXml(output, 'docProps/custom.xml')).toContain('<vt:lpwstr>a &amp; b</vt:lpwstr>');
    expect(template.fields.map(({ path }) => path)).toEqual(['Number', 'Name']);
  });

  it('of an equation stay as they are, and lint says so', () => {
    const math =
      '<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>{</m:t></m:r><m:r><m:t>{A}}</m:t></m:r></m:oMath>';
    const report = lint(docx(p('first') + `<w:p>${math}</w:p>`));
    expect(report.ok).toBe(true);
    expect(report.problems).toMatchObject([
      { code: 'tag_not_filled', paragraph: 2, snippet: '{{A}}' },
    ]);
  });
});

describe('a chart', () => {
  it('keeps its tag, even one in several runs, and lint says so', () => {
    const chart =
      '<c:chart xmlns:c="urn:c" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:t>{</a:t><a:t>{Title}}</a:t></c:chart>';
    const report = lint(
      docx(p('x'), {
        relationships: relationship('rIdC', 'chart', 'charts/chart1.xml'),
        files: { 'word/charts/chart1.xml': chart },
      }),
    );
    expect(report.problems).toMatchObject([{ code: 'tag_not_filled', snippet: '{{Title}}' }]);
  });
});

describe('a merge field of Word', () => {
  const run = (inner: string, properties = '') => `<w:r>${properties}${inner}</w:r>`;
  const mark = (type: string) => run(`<w:fldChar w:fldCharType="${type}"/>`);
  const complex = (instruction: string, result: string) =>
    `<w:p>${r('Dear ')}${mark('begin')}${run(`<w:instrText>${instruction}</w:instrText>`)}` +
    `${mark('separate')}${result}${mark('end')}${r('!')}</w:p>`;
  const columns = { 'Tel. (home)': '77', '1. Rate': '50', 'Nr.': 'K-1' };
  const data = {
    Name: 'ann',
    First: { Name: 'bo' },
    'First Name': 'cy',
    Day: '2026-11-16',
    At: '2026-11-16T14:05:00Z',
    Sum: 1234.5,
    Debt: -7.5,
    Share: '5.5',
    Long: 'anna-maria o\u2019neill',
    ...columns,
  };

  it.each([
    [' MERGEFIELD Name ', 'ann'],
    [' MERGEFIELD  Name  \\* MERGEFORMAT ', 'ann'],
    ['MERGEFIELD "First Name" \\b "before " \\f " after"', 'before cy after'],
    ['MERGEFIELD Missing \\b "before" \\f "after"', ''],
    ['MERGEFIELD Long \\* Caps', 'Anna-Maria O\u2019neill'],
    ['MERGEFIELD Long \\* FirstCap \\* MERGEFORMAT', 'Anna-maria o\u2019neill'],
    ['MERGEFIELD Day \\@ "dddd, d. MMMM yyyy" \\* Upper', 'MONDAY, 16. NOVEMBER 2026'],
    ['MERGEFIELD Day \\@ “DDD, DD/MM/YY”', 'Mon, 16/11/26'],
    ['MERGEFIELD Day \\@ TT.MM.JJJJ', '16.11.2026'],
    ['MERGEFIELD At \\@ "h:mm am/pm \'on\' d.M."', '2:05 PM on 16.11.'],
    ['MERGEFIELD Sum \\# "#,##0.00"', '1,234.50'],
    ['MERGEFIELD Sum \\# "#.##0,00 €"', '1,234.50 €'],
    ['MERGEFIELD Sum \\# "$,0.00;($,0.00)"', '$1,234.50'],
    ['MERGEFIELD Debt \\# "$#,##0;($#,##0)"', '($8)'],
    ['MERGEFIELD Debt \\# $#,##0.00', '-$7.50'],
    ['MERGEFIELD Debt \\# "0.00;credit;none"', 'credit'],
    ['MERGEFIELD Debt \\# 0000', '-0008'],
    ['MERGEFIELD Share \\# "0.##%" \\b "up to "', 'up to 5.5%'],
    ['MERGEFIELD Missing \\# 0.00', ''],
    ['mergefield First.Name', 'bo'],
    [' MERGEFIELD Name \\* Upper ', 'ANN'],
    [' MERGEFIELD Day \\@ "dd.MM.yyyy" ', '16.11.2026'],
    ['MERGEFIELD "Tel. (home)"', '77'],
    ['MERGEFIELD "1. Rate"', '50'],
    ['MERGEFIELD Nr.', 'K-1'],
    [' MERGEFIELD Missing ', ''],
  ])('%j prints %j', (instruction, shown) => {
    const result = r('«Na', '<w:rPr><w:b/></w:rPr>') + r('me»');
    const output = compile(docx(complex(instruction, result))).merge(data);
    expect(faults(output)).toEqual([]);
    expect(textLines(output)).toEqual([`Dear ${shown}!`]);
    expect(partXml(output)).not.toMatch(/fldChar|instrText|«/);
    if (shown !== '')
      expect(partXml(output)).toContain(`<w:b/></w:rPr><w:t xml:space="preserve">${shown}`);
  });

  it.each([
    ['MERGEFIELD Sum \\* CardText', '\\* CardText is not followed'],
    ['MERGEFIELD Sum \\# "x##"', '\\# "x##" is not followed. Write a tag instead'],
    ['MERGEFIELD Sum \\q 5', '\\q 5 is not followed'],
    ['MERGEFIELD Day \\@ "dd.mm.yyyy"', '"mm" is minutes, as in Word'],
  ])('%j is named by lint', (instruction, sentence) => {
    const { ok, problems } = lint(docx(p('x') + complex(instruction, r('x'))));
    expect(ok).toBe(true);
    expect(problems).toMatchObject([
      { severity: 'warning', code: 'switch_not_followed', paragraph: 2, snippet: instruction },
    ]);
    expect(problems[0]?.message).toContain(sentence);
  });

  it('whose number cannot be read is an error, never printed as it came', () => {
    const template = compile(docx(complex('MERGEFIELD Name \\# 0.00', r('x'))));
    expect(() => template.merge(data)).toThrow('Name: "ann" cannot be read as a number');
  });

  it.each([
    ['MERGEFIELD BeginGroup:Lines', 'Write {{#each Lines}} … {{/each}}.'],
    ['MERGEFIELD EndGroup:Lines', 'Write {{/each}}.'],
    ['MERGEFIELD TableStart:Lines', 'Write {{#each Lines}} … {{/each}}.'],
    ['MERGEFIELD "Image:Photo"', 'Write {{image Photo width=4cm}}.'],
  ])('%s of another mail merge is named by lint', (instruction, instead) => {
    expect(lint(docx(complex(instruction, r('x')))).problems).toEqual([
      expect.objectContaining({
        code: 'foreign_tag',
        message: expect.stringContaining(instead) as string,
      }),
    ]);
  });

  it('with a dot in its name names the column, not a field within another', () => {
    const body = complex('MERGEFIELD Nr.', r('x')) + complex('MERGEFIELD Boss.Name', r('x'));
    const paths = compile(docx(body)).fields.map(({ path }) => path);
    expect(paths).toEqual(['[Nr.]', 'Boss.Name']);
  });

  it('is found in its simple form, without a result, and in one run', () => {
    const simple = `<w:p><w:fldSimple w:instr=" MERGEFIELD Name ">${r('«Name»')}</w:fldSimple></w:p>`;
    const oneRun = `<w:p>${run('<w:t>a </w:t><w:fldChar w:fldCharType="begin"/><w:instrText>MERGEFIELD Name</w:instrText><w:fldChar w:fldCharType="end"/><w:t> z</w:t>')}</w:p>`;
    const output = compile(docx(simple + complex('MERGEFIELD Name', '') + oneRun)).merge(data);
    expect(textLines(output)).toEqual(['ann', 'Dear ann!', 'a ann z']);
  });

  it('is a field of its loop, checked like every other', () => {
    const body = p('{{#each L}}') + complex('MERGEFIELD Name', r('x')) + p('{{/each}}');
    const template = compile(docx(body));
    expect(textLines(template.merge({ L: [{ Name: 'a' }, { Name: 'b' }] }))).toEqual([
      'Dear a!',
      'Dear b!',
    ]);
    expect(template.fields.map(({ path }) => path)).toEqual(['L', 'L[].Name']);
    expect(() => template.merge({ L: [{}] }, { strict: true })).toThrow(
      expect.objectContaining({ code: 'missing_field' }) as Error,
    );
  });

  it('leaves other fields alone', () => {
    const output = compile(docx(complex(' PAGE ', r('1')) + p('{{Name}}'))).merge(data);
    expect(partXml(output)).toContain('PAGE');
  });

  const nested = (instruction: string) =>
    mark('begin') +
    run(`<w:instrText>${instruction}</w:instrText>`) +
    mark('separate') +
    r('«x»') +
    mark('end');
  const words = (text: string) => run(`<w:instrText xml:space="preserve">${text}</w:instrText>`);
  const choice = (...instruction: string[]) =>
    `<w:p>${r('Dear ')}${mark('begin')}${instruction.join('')}${mark('separate')}${r('stale')}${mark('end')}${r('!')}</w:p>`;

  it.each([
    [[words(' IF '), nested('MERGEFIELD Name'), words(' = "ann" "Ms" "Mr" ')], 'Ms'],
    [
      [words('IF '), nested('MERGEFIELD "First Name"'), words('="ann" "Ms" “Mr” \\* MERGEFORMAT')],
      'Mr',
    ],
    [[words('if "'), nested('MERGEFIELD Name'), words('" &lt;&gt; "ann" "Ms"')], ''],
    [[words('IF "{{Name}}" = "ann" "Ms {{First.Name}}" "Mr"')], 'Ms bo'],
    [[words('IF {{First.Name}} = bo yes no')], 'yes'],
    [[words('IF '), nested('MERGEFIELD Missing'), words(' = "" "none" "some"')], 'none'],
    [[words('IF '), nested('MERGEFIELD Size'), words(' &gt;= 10 "large" "small"')], 'large'],
    [
      [
        words('IF '),
        nested('MERGEFIELD Name'),
        words(' = "ann" "on '),
        nested('MERGEFIELD Day \\@ "dd.MM.yyyy"'),
        words('" ""'),
      ],
      'on 16.11.2026',
    ],
  ])('in an IF is compared: %#', (instruction, text) => {
    const body = docx(choice(...instruction));
    expect(lint(body).problems).toEqual([]);
    const output = compile(body).merge({ ...data, Size: 12 });
    expect(faults(output)).toEqual([]);
    expect(textLines(output)).toEqual([`Dear ${text}!`]);
  });

  it.each([
    [
      'an IF in an IF',
      [
        words('IF '),
        nested('IF a = b c d'),
        words(' = "x" "'),
        nested('MERGEFIELD Name'),
        words('" ""'),
      ],
      '{{#if eq',
    ],
    [
      'a number format in an IF',
      [
        words('IF '),
        nested('MERGEFIELD Name'),
        words(' = "a" "'),
        nested('MERGEFIELD Sum \\# 0.00'),
        words('" ""'),
      ],
      '{{#if eq',
    ],
    ['wildcards', [words('IF '), nested('MERGEFIELD Name'), words(' = "a*" "x" "y"')], '{{#if eq'],
    ['a sum', [words('= '), nested('MERGEFIELD Size'), words(' * 2')], '{{number'],
    ['a greeting', [words('GREETINGLINE \\f "x"')], 'Dear {{'],
    ['an address', [words(' ADDRESSBLOCK ')], '{{Street}}'],
    ['the next record', [words('NEXT')], '{{#each'],
    ['the number of a record', [words('MERGEREC')], '{{@number}}'],
    ['a link', [words('HYPERLINK "'), nested('MERGEFIELD Name'), words('"')], '{{Name}}'],
  ])('that nothing fills is named by lint: %s', (_what, instruction, instead) => {
    const { ok, problems } = lint(docx(p('x') + choice(...instruction)));
    expect(ok).toBe(true);
    expect(problems).toMatchObject([
      { severity: 'warning', code: 'field_not_filled', part: 'word/document.xml', paragraph: 2 },
    ]);
    expect(problems[0]?.message).toContain(instead);
  });

  it('is not missed where a field stands without one', () => {
    expect(
      lint(docx(choice(words('IF '), nested('PAGE'), words(' = 1 "x" "y"')))).problems,
    ).toEqual([]);
  });
});
