import { describe, expect, it } from 'vitest';
import { bodyXml, docx, li, p, partXml, r, table } from '../test/builder.ts';
import { merged, rows } from '../test/merge.ts';
import { faults, textLines } from '../test/read.ts';
import { compile } from './index.ts';

describe('each', () => {
  it('repeats paragraphs, and the paragraphs of its tags vanish', () => {
    const body = p('top') + p('{{#each L}}') + p('{{N}}') + p('-') + p('{{/each}}') + p('end');
    expect(merged(body, { L: rows(2) })).toEqual(['top', 'n0', '-', 'n1', '-', 'end']);
    expect(merged(body, { L: [] })).toEqual(['top', 'end']);
    expect(merged(body, {})).toEqual(['top', 'end']);
  });

  it('repeats paragraphs that hold its tags at their edges', () => {
    expect(merged(p('{{#each L}}{{N}}') + p('and {{V}}{{/each}}'), { L: rows(2) })).toEqual([
      'n0',
      'and 0',
      'n1',
      'and 1',
    ]);
  });

  it('repeats a row whose cells hold its tags', () => {
    const body = table([
      ['Name', 'Value'],
      ['{{#each L}}{{N}}', '{{V}}{{/each}}'],
      ['Sum', '{{sum L "V"}}'],
    ]);
    expect(merged(body, { L: rows(3) })).toEqual([
      'Name | Value',
      'n0 | 0',
      'n1 | 1',
      'n2 | 2',
      'Sum | 3',
    ]);
    expect(merged(body, { L: [] })).toEqual(['Name | Value', 'Sum | 0']);
  });

  it('repeats several rows; a row of tags alone vanishes', () => {
    const body = table([
      ['{{#each L}}', ''],
      ['{{N}}', 'a'],
      ['{{V}}', 'b'],
      ['{{/each}}', ''],
    ]);
    expect(merged(body, { L: rows(2) })).toEqual(['n0 | a', '0 | b', 'n1 | a', '1 | b']);
    const edges = table([
      ['{{#each L}}{{N}}', 'a'],
      ['{{V}}', 'b{{/each}}'],
    ]);
    expect(merged(edges, { L: rows(2) })).toEqual(['n0 | a', '0 | b', 'n1 | a', '1 | b']);
  });

  it('leaves no table without rows', () => {
    const body = p('before') + table([['{{#each L}}{{N}}', '{{/each}}']]) + p('after');
    expect(merged(body, { L: [] })).toEqual(['before', 'after']);
    expect(bodyXml(compile(docx(body)).merge({}))).not.toContain('w:tbl');
  });

  it('repeats inline', () => {
    expect(
      merged(p('Hi {{#each L}}{{N}}{{#unless @last}}, {{/unless}}{{/each}}!'), { L: rows(3) }),
    ).toEqual(['Hi n0, n1, n2!']);
  });

  it('repeats inline over runs with looks of their own', () => {
    const body = `<w:p>${r('a {{#each L}}[')}${r('{{N}}', '<w:rPr><w:b/></w:rPr>')}${r('] {{/each}}z')}</w:p>`;
    expect(merged(body, { L: rows(2) })).toEqual(['a [n0] [n1] z']);
    expect(bodyXml(compile(docx(body)).merge({ L: rows(1) }))).toContain(
      '<w:rPr><w:b/></w:rPr><w:t xml:space="preserve">n0',
    );
  });

  it('repeats a list item that it fills', () => {
    expect(merged(li('{{#each L}}{{N}}{{/each}}'), { L: rows(3) })).toEqual(['n0', 'n1', 'n2']);
    expect(merged(p('x') + li('{{#each L}}{{N}}{{/each}}'), { L: [] })).toEqual(['x']);
    expect(merged(li('All: {{#each L}}{{N}} {{/each}}'), { L: rows(2) })).toEqual(['All: n0 n1 ']);
  });

  it('knows list items by their style', () => {
    const styles =
      '<w:style w:type="paragraph" w:styleId="Bullets"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>' +
      '<w:style w:type="paragraph" w:styleId="Mine"><w:basedOn w:val="Bullets"/></w:style>';
    const item = `<w:p><w:pPr><w:pStyle w:val="Mine"/></w:pPr>${r('{{#each L}}{{this}}{{/each}}')}</w:p>`;
    expect(textLines(compile(docx(item, { styles })).merge({ L: [1, 2] }))).toEqual(['1', '2']);
  });

  it('refuses more columns than can show their text', () => {
    const body = table([['Month', '{{#each Months by=column}}{{this}}{{/each}}']]);
    const months = (count: number) => ({ Months: Array.from({ length: count }, (_, n) => n) });
    expect(merged(body, months(5))).toEqual(['Month | 0 | 1 | 2 | 3 | 4']);
    expect(() => merged(body, months(24))).toThrow(
      expect.objectContaining({
        code: 'bad_value',
        field: 'Months',
        paragraph: 2,
        message:
          '"Months" has 24 items, which share the 35.3 mm of one column: 1.5 mm each are too narrow for text. ' +
          'Make the column of the template wider, or repeat rows.',
      }) as Error,
    );
    const margins =
      '<w:tblCellMar><w:left w:w="0" w:type="dxa"/><w:right w:w="0" w:type="dxa"/></w:tblCellMar>';
    const narrow = body.replace('</w:tblPr>', `${margins}</w:tblPr>`);
    expect(merged(narrow, months(16))).toHaveLength(1);
    const wide = body.replaceAll('<w:gridCol w:w="2000"/>', '<w:gridCol w:w="9000"/>');
    expect(merged(wide, months(24))).toHaveLength(1);
  });

  it('repeats columns when asked, and keeps the width of the table', () => {
    const body = table([
      ['', '{{#each Months by=column}}{{this}}{{/each}}', 'Total'],
      [
        '{{#each Rows}}{{Name}}',
        '{{#each Values by=column}}{{this}}{{/each}}',
        '{{sum Values}}{{/each}}',
      ],
    ]);
    const data = {
      Months: ['Jan', 'Feb'],
      Rows: [
        { Name: 'a', Values: [1, 2] },
        { Name: 'b', Values: [3, 4] },
      ],
    };
    expect(merged(body, data)).toEqual([' | Jan | Feb | Total', 'a | 1 | 2 | 3', 'b | 3 | 4 | 7']);
    const xml = bodyXml(compile(docx(body)).merge(data));
    expect([...xml.matchAll(/gridCol w:w="(\d+)"/g)].map(([, width]) => width)).toEqual([
      '2000',
      '1000',
      '1000',
      '2000',
    ]);
    expect(xml).toContain('<w:tcW w:w="1000" w:type="dxa"/>');
    expect(merged(body, { Months: [], Rows: [] })).toEqual([' | Total']);
  });

  it('repeats the row when asked, although one cell holds it all', () => {
    expect(merged(table([['{{#each L by=row}}{{N}}{{/each}}']]), { L: rows(2) })).toEqual([
      'n0',
      'n1',
    ]);
  });

  it('nests, with a way out to the scopes around', () => {
    const body =
      p('{{#each Orders}}') +
      p('{{@number}}. {{Id}} of {{../Name}}') +
      table([
        [
          '{{#each Lines}}{{Sku}}',
          '{{../Id}}/{{../../Name}}/{{@root.Name}}',
          '{{@index}}{{@first}}{{@last}}{{../@index}}{{/each}}',
        ],
      ]) +
      p('{{/each}}');
    const data = {
      Name: 'Ann',
      Orders: [
        { Id: 'A', Lines: [{ Sku: 1 }, { Sku: 2 }] },
        { Id: 'B', Lines: [{ Sku: 3 }] },
      ],
    };
    expect(merged(body, data)).toEqual([
      '1. A of Ann',
      '1 | A/Ann/Ann | 0truefalse0',
      '2 | A/Ann/Ann | 1falsetrue0',
      '2. B of Ann',
      '3 | B/Ann/Ann | 0truetrue1',
    ]);
  });

  it('looks outwards for what an item lacks, and with this. in the item alone', () => {
    const data = { Name: 'outer', L: [{}, { Name: 'in' }, { Name: null }, 'text'] };
    expect(merged(p('{{#each L}}[{{Name}}]{{/each}}'), data)).toEqual(['[outer][in][][outer]']);
    for (const path of ['this.Name', './Name'])
      expect(merged(p(`{{#each L}}[{{${path}}}]{{/each}}`), data)).toEqual(['[][in][][]']);
  });

  it('looks outwards step by step: in values, helpers, conditions and lists', () => {
    const data = {
      Currency: 'EUR',
      Vip: true,
      Tags: ['x', 'y'],
      Customer: { Name: 'Ann', City: 'Cork' },
      Orders: [
        { No: 1, Customer: { Name: 'Bo' }, Lines: [{ Amount: 5 }, { Amount: 7, No: 'own' }] },
      ],
    };
    const body = p(
      '{{#each Orders}}{{#each Lines}}{{No}}: {{currency Amount Currency}} {{#if Vip}}vip {{/if}}' +
        '{{#each Tags}}{{this}}{{/each}} {{join Tags "+"}} {{Customer.Name}}/{{Customer.City}}; {{/each}}{{/each}}',
    );
    // A name is looked up by its first part: the order has a customer, and its city is not that of another one.
    expect(merged(body, data)).toEqual(['1: €5.00 vip xy x+y Bo/; own: €7.00 vip xy x+y Bo/; ']);
    expect(() => merged(body, data, { strict: true })).toThrow('The data has no "Customer.City".');
  });

  it('takes text that was prepared for a field from where the field is', () => {
    const data = {
      Amount: 100,
      Amount__formatted: 'a hundred',
      L: [{ Amount: 5 }, { Amount: 6, Amount__formatted: 'six' }, {}],
    };
    expect(
      merged(p('{{#each L}}{{Amount__formatted}}; {{/each}}{{Amount__formatted}}'), data),
    ).toEqual(['5; six; a hundred; a hundred']);
  });

  it('takes ../ and @root at their word', () => {
    const data = { A: 'root', L: [{ A: 'item', M: [{ A: 'inner' }, {}] }, { M: [{}] }] };
    expect(
      merged(p('{{#each L}}{{#each M}}{{../A}},{{@root.A}},{{A}}; {{/each}}{{/each}}'), data),
    ).toEqual(['item,root,inner; item,root,item; ,root,root; ']);
  });

  it('goes over the records of a Salesforce result, and over one object', () => {
    expect(
      merged(p('{{#each L}}{{N}}{{/each}}'), { L: { totalSize: 2, records: rows(2) } }),
    ).toEqual(['n0n1']);
    expect(merged(p('{{#each L}}{{N}}{{/each}}'), { L: { N: 'one' } })).toEqual(['one']);
  });

  it('has an else for the empty list', () => {
    const body =
      p('{{#each L}}') + p('{{N}}') + p('{{else}}') + p('none of {{Name}}') + p('{{/each}}');
    expect(merged(body, { Name: 'x', L: [] })).toEqual(['none of x']);
    expect(merged(body, { L: rows(1) })).toEqual(['n0']);
  });

  it('repeats tables without joining them', () => {
    const body = p('{{#each L}}') + table([['{{N}}', 'x']]) + p('{{/each}}');
    const xml = bodyXml(compile(docx(body)).merge({ L: rows(3) }));
    expect(xml).not.toContain('</w:tbl><w:tbl>');
    expect(xml.match(/<w:tbl>/g)).toHaveLength(3);
  });
});

describe('ids in repeats', () => {
  it('stay unique: drawings, bookmarks, paragraphs', () => {
    const drawing =
      '<w:r><w:drawing><wp:inline><wp:extent cx="1" cy="1"/><wp:docPr id="4" name="p"/></wp:inline></w:drawing></w:r>';
    const paragraph = `<w:p w14:paraId="11111111" w14:textId="77777777" w:rsidR="00AA"><w:bookmarkStart w:id="3" w:name="here"/>${r('{{N}}')}${drawing}<w:bookmarkEnd w:id="3"/></w:p>`;
    const output = compile(
      docx(
        p('{{#each L}}') +
          paragraph +
          p('{{/each}}') +
          paragraph.replaceAll('"3"', '"8"').replace('here', 'there'),
      ),
    ).merge({ L: rows(3) });
    expect(faults(output)).toEqual([]);
    expect(partXml(output).match(/wp:docPr id="(\d+)"/g)).toHaveLength(4);
    expect(partXml(output).match(/w:name="here"/g)).toHaveLength(1);
  });

  it('drop a bookmark that begins inside a block and ends outside', () => {
    const body =
      p('{{#if A}}') +
      `<w:p><w:bookmarkStart w:id="3" w:name="m"/>${r('x')}</w:p>` +
      p('{{/if}}') +
      `<w:p>${r('y')}<w:bookmarkEnd w:id="3"/></w:p>`;
    for (const data of [{}, { A: 1 }]) expect(faults(compile(docx(body)).merge(data))).toEqual([]);
  });
});

describe('limits of a merge', () => {
  it('stop endless loops and documents', () => {
    const template = compile(docx(p('{{#each L}}{{#each ../L}}x{{/each}}{{/each}}')));
    const data = { L: Array.from({ length: 2_000 }, () => 1) };
    expect(() => template.merge(data)).toThrow(
      expect.objectContaining({ code: 'too_many_iterations' }) as Error,
    );
    expect(() => template.merge({ L: [1, 2, 3] }, { limits: { outputBytes: 500 } })).toThrow(
      expect.objectContaining({ code: 'output_too_large' }) as Error,
    );
    expect(() =>
      compile(docx(p('{{A}}'))).merge({ A: 'x'.repeat(100) }, { limits: { valueLength: 99 } }),
    ).toThrow(expect.objectContaining({ code: 'value_too_long' }) as Error);
  });

  it('do not stop a long table', () => {
    const output = compile(docx(table([['{{#each L}}{{N}}', '{{V}}{{/each}}']]))).merge({
      L: rows(20_000),
    });
    expect(textLines(output)).toHaveLength(20_000);
  });
});

it.each([5, 'a, b', true])(
  'a loop over %j is an error that names the path, also when not strict',
  (L) => {
    const template = compile(docx(p('{{#each Order.L}}x{{else}}none{{/each}}')));
    expect(() => template.merge({ Order: { L } })).toThrow(
      expect.objectContaining({
        code: 'not_a_list',
        message: `"Order.L" is no list but "${String(L)}".`,
        paragraph: 1,
      }) as Error,
    );
    for (const none of [[], '', null, false]) {
      expect(textLines(template.merge({ Order: { L: none } }))).toEqual(['none']);
    }
  },
);
