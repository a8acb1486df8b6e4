import { DEFAULT_LIMITS, readZip, unpack } from '@millrace/docx';
import { describe, expect, test } from 'vitest';
import { deflated, writeZip } from '@millrace/zip';
import { need } from '../../../../../../scripts/need.mjs';
import { row, workbook } from '../../../../test/workbook.ts';
import type { Row } from '../row.ts';
import { type RowFacts, openRows } from '../rows.ts';
import { type Format, formatOf, shownAs } from './format.ts';
import { readSheetRows } from './thread.ts';

await need('build'); // a sheet is read in a thread

async function read(bytes: Uint8Array, sheet?: string): Promise<{ rows: Row[]; facts: RowFacts }> {
  const opened = await openRows({ format: 'xlsx', bytes, sheet });
  const rows: Row[] = [];
  for await (const one of opened.rows) rows.push(one);
  return { rows, facts: opened.facts() };
}

test('cells have their types, and dates no zone', async () => {
  const rows =
    row(1, 'Name', 'Paid', 'Amount', 'Due', 'At', 'Plz', 'Share') +
    row(
      2,
      '< t="s"><v>0</v></c>',
      true,
      0.30000000000000004,
      '< s="1"><v>46342</v></c>',
      '< s="2"><v>46342.395833333336</v></c>',
      '< s="3"><v>1234</v></c>',
      '< s="4"><v>0.125</v></c>',
    ) +
    row(
      3,
      '< t="str"><f>A1</f><v>a_x000D_b</v></c>',
      false,
      '< t="n"><f>1+1</f><v>2</v></c>',
      '< t="d"><v>2026-11-16T00:00:00</v></c>',
      '< s="2"><v>0.5</v></c>',
      '01234',
      '',
    );
  const { rows: got, facts } = await read(
    workbook({
      sheets: { Kandidaten: rows },
      strings: [
        '<r><t>Ann </t></r><r><t xml:space="preserve">&amp; Bob</t></r><rPh><t>アン</t></rPh>',
      ],
      formats: ['dd\\.mm\\.yyyy', '[$-409]m/d/yy h:mm AM/PM;@', '00000', '0.0%'],
    }),
  );
  expect(got).toEqual([
    {
      line: 2,
      data: {
        Name: 'Ann & Bob',
        Paid: true,
        Amount: 0.3,
        Due: '2026-11-16',
        At: '2026-11-16T09:30',
        Plz: '01234',
        Share: 0.125,
      },
    },
    {
      line: 3,
      data: {
        Name: 'a\rb',
        Paid: false,
        Amount: 2,
        Due: '2026-11-16',
        At: '12:00',
        Plz: '01234',
        Share: '',
      },
    },
  ]);
  expect(facts).toMatchObject({ format: 'xlsx', sheet: 'Kandidaten', blank: 0 });
});

test.each<[number, string | undefined, Format['type']]>([
  [0, undefined, 'number'],
  [14, undefined, 'date'],
  [22, undefined, 'date'],
  [20, undefined, 'time'],
  [46, undefined, 'duration'],
  [200, '[h]:mm:ss', 'duration'],
  [200, 'h:mm:ss.000', 'time'],
  [200, 'yyyy"年"m"月"d"日"', 'date'],
  [200, 'mmmm', 'date'],
  [200, '#,##0.00 "Stück"', 'number'],
  [200, '_-* #,##0.00 [$kr-41D]_-;-* #,##0.00', 'number'],
  [200, '"days" 0', 'number'],
  [200, '0.00E+00', 'number'],
  [200, '[Red]General', 'number'],
  [200, '00000', 'code'],
  [200, '000\\-00\\-0000', 'code'],
  [200, '0', 'number'],
])('the format %i %s shows a %s (%s)', (id, code, type) => {
  expect(formatOf(id, code).type).toBe(type);
});

test.each<[number, Format, boolean, unknown]>([
  [1, { type: 'date' }, false, { value: '1900-01-01' }],
  [59, { type: 'date' }, false, { value: '1900-02-28' }],
  [60, { type: 'date' }, false, { error: '29 February 1900 is no date' }],
  [61, { type: 'date' }, false, { value: '1900-03-01' }],
  [44880, { type: 'date' }, true, { value: '2026-11-16' }],
  [-1, { type: 'date' }, false, { error: '-1 is no date' }],
  [1.1041666666666667, { type: 'duration' }, false, { value: '26:30' }],
  [0.5, { type: 'time' }, false, { value: '12:00' }],
  [1.5, { type: 'time' }, false, { value: '12:00' }],
  [1.23456789012346e22, { type: 'number' }, false, { value: '12345678901234600000000' }],
  [-1.5e21, { type: 'number' }, false, { value: '-1500000000000000000000' }],
])('%d as %j is %j', (number, format, is1904, shown) => {
  expect(shownAs(number, format, is1904)).toEqual(shown);
});

test.each<[number, string, string | number]>([
  [123456789, '000-00-0000', '123-45-6789'],
  [123456789, '000\\-00\\-0000', '123-45-6789'],
  [1234567, '00000', '1234567'],
  [-7, '000', '-007'],
  [42, '"RE-"00000', 'RE-00042'],
  [1234567, '"RE-"00000', 'RE-1234567'],
  [1067, '\\D\\-00000', 'D-01067'],
  [612345678, '0#" "##" "##" "##" "##', '06 12 34 56 78'],
  [317, '00\\.00', '03.17'],
  [7561234567897, '000"."0000"."0000"."00', '756.1234.5678.97'],
  [4915112345678, '"+"0', '+4915112345678'],
  [4915112345678, '+## ### ########', '+49 151 12345678'],
  [5, '"A0-"000', 'A0-005'],
  [5, '+0;-0;0', 5],
  [1234, '#\\ ##0', 1234],
  [1234.5, '00.00', 1234.5],
  [5, '0" Stück"', 5],
])('%d in the format %s is %j', (number, code, value) => {
  expect(shownAs(number, formatOf(200, code), false)).toEqual({ value });
});

test('a cell that shows an error, or a formula without its result, is an error of its row only', async () => {
  const rows =
    row(3, 'Name', 'Amount') +
    row(4, 'Ann', '< t="e"><v>#N/A</v></c>') +
    row(5, 'Bob', '<><f>SUM(B1:B2)</f></c>') +
    row(6, '', '') +
    row(7, 'Carla', 3) +
    row(8, 'Dan', 4, 'more');
  const { rows: got, facts } = await read(workbook({ sheets: { A: rows } }));
  expect(got).toMatchObject([
    { line: 4, error: 'Cell B4: it shows the error #N/A.', cells: ['Ann', '#N/A'] },
    { line: 5, error: expect.stringContaining('Cell B5: a formula without its result') },
    { line: 7, data: { Name: 'Carla', Amount: 3 } },
    { line: 8, error: expect.stringContaining('"more" stands in column C') },
  ]);
  expect(facts.blank).toBe(1);
});

test('a formula whose result is an empty element is no empty field; one that gives an empty text is', async () => {
  const rows =
    row(1, 'Name', 'Amount') +
    row(2, 'Ann', '<><f>B1</f><v></v></c>') +
    row(3, 'Bob', '<><f>B1</f><v/></c>') +
    row(4, 'Carla', '< t="str"><f>B1</f><v></v></c>');
  expect((await read(workbook({ sheets: { A: rows } }))).rows).toMatchObject([
    { line: 2, error: expect.stringContaining('Cell B2: a formula without its result') },
    { line: 3, error: expect.stringContaining('Cell B3: a formula without its result') },
    { line: 4, data: { Name: 'Carla', Amount: '' } },
  ]);
});

test('blank rows are counted, also those that the sheet does not mention, but not above the header', async () => {
  const rows = row(3, 'Name') + row(6, 'Ann') + row(7, '') + row(8, ' ') + row(9, 'Bob');
  const { rows: got, facts } = await read(workbook({ sheets: { A: rows } }));
  expect(got.map(({ line }) => line)).toEqual([6, 9]);
  expect(facts.blank).toBe(4);
});

test('the first sheet that people see, or the one they name', async () => {
  const bytes = workbook({
    sheets: { Old: row(1, 'a') + row(2, 'old'), People: row(1, 'a') + row(2, 'new') },
    hidden: ['Old'],
    prefix: 'x',
  });
  expect((await read(bytes)).rows).toMatchObject([{ data: { a: 'new' } }]);
  expect((await read(bytes, 'old')).rows).toMatchObject([{ data: { a: 'old' } }]);
  await expect(read(bytes, 'Poeple')).rejects.toThrow(
    'no sheet "Poeple"; it has "Old", "People". Did you mean "People"?',
  );
});

test('merged cells are refused in the header, and are an error of their rows', async () => {
  const sheet = (ref: string) =>
    workbook({
      sheets: {
        A: {
          rows: row(1, 'a', 'b') + row(2, '1', '2') + row(3, '', '3'),
          after: `<mergeCells count="1"><mergeCell ref="${ref}"/></mergeCells>`,
        },
      },
    });
  await expect(read(sheet('A1:B1'))).rejects.toThrow('The cells A1:B1 are merged');
  expect((await read(sheet('A2:A3'))).rows).toMatchObject([
    { line: 2, error: expect.stringContaining('A2:A3') },
    { line: 3, error: expect.stringContaining('A2:A3') },
  ]);
});

describe('hostile workbooks end in a sentence', () => {
  const laughs = `<!DOCTYPE sst [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><sst><si><t>&b;</t></si></sst>`;
  test.each<[string, () => Uint8Array, string]>([
    ['no ZIP at all', () => Buffer.from('PK\u0003\u0004 cut off'), 'no sound XLSX'],
    ['no workbook', () => workbook({ more: { 'xl/workbook.xml': '<html/>' } }), 'no workbook'],
    ['no sheet', () => workbook({}), 'no sheet'],
    [
      'entities',
      () => workbook({ sheets: { A: row(1, 'a') }, more: { 'xl/sharedStrings.xml': laughs } }),
      'document type',
    ],
    ['XML that breaks off', () => workbook({ sheets: { A: '<row r="1"><c r="A1"' } }), 'damaged'],
    [
      'a row before the first',
      () => workbook({ sheets: { A: row(5, 'a') + row(2, 'b') } }),
      'after row 5 comes row 2',
    ],
    [
      'a row beyond the last',
      () => workbook({ sheets: { A: row(1, 'a') + row(9_999_999, 'b') } }),
      'comes row 9999999',
    ],
    [
      'a column beyond the last',
      () => workbook({ sheets: { A: '<row r="1"><c r="ZZZ1"><v>1</v></c></row>' } }),
      'no cell "ZZZ1"',
    ],
  ])('%s', async (_, bytes, sentence) => {
    await expect(read(bytes())).rejects.toMatchObject({
      code: 'invalid_rows',
      message: expect.stringContaining(sentence),
    });
  });

  test.each([
    ['a bomb', Buffer.alloc(300_000_000, 0x20), 'inflates to more than 200 MB'],
    [
      'merges without end',
      Buffer.from(
        `<w><sheetData/><sheetData></sheetData>${'<mergeCell ref="A1:A1048576"/>'.repeat(99)}</w>`,
      ),
      'too many merged',
    ],
  ])('%s', async (_, sheet, sentence) => {
    const plain = workbook({ sheets: { A: row(1, 'a') } });
    const entries = readZip(plain, DEFAULT_LIMITS).map((entry) =>
      deflated(entry.name, entry.name.endsWith('sheet1.xml') ? sheet : unpack(entry, 1e6), 1),
    );
    const bytes = writeZip(entries);
    expect(bytes.length).toBeLessThan(2_000_000);
    await expect(read(bytes)).rejects.toMatchObject({
      code: 'invalid_rows',
      message: expect.stringContaining(sentence),
    });
  });

  test('one that takes more memory or time than it may', async () => {
    const many = Array.from({ length: 20_000 }, (_, n) => row(n + 1, `text ${n}`, n)).join('');
    const bytes = workbook({ sheets: { A: many } });
    const refused = async (limits: object) => {
      for await (const _ of readSheetRows(bytes, limits));
    };
    await expect(refused({ memoryMb: 4 })).rejects.toThrow('too much memory or time');
    await expect(refused({ patienceMs: 1 })).rejects.toThrow('too much memory or time');
  });
});

describe('a text that many cells name', () => {
  const named = '< t="s"><v>0</v></c>';
  const naming = (megabytes: number, rows: string) =>
    workbook({
      sheets: { A: row(1, 'a', 'b', 'c') + rows },
      strings: [`<t>${'x'.repeat(megabytes * 1_000_000)}</t>`],
    });

  test('leaves the thread by bytes: no message has more than one row beyond a megabyte', async () => {
    const rows = Array.from({ length: 20 }, (_, n) => row(n + 2, named)).join('');
    const sizes: number[] = [];
    for await (const answer of readSheetRows(naming(3, rows)))
      if (answer.type === 'rows')
        sizes.push(answer.rows.flatMap(({ cells }) => cells).join('').length);
    expect(Math.max(...sizes)).toBeLessThan(4_000_000);
    expect(sizes).toHaveLength(20);
  });

  test('makes its row too long, and the others are read', async () => {
    const rows = row(2, named, named, named) + row(3, named, 'b', 1);
    const { rows: got } = await read(naming(4, rows));
    expect(got).toMatchObject([
      { line: 2, error: 'The row has more than 10 MB.', cells: [] },
      { line: 3, data: { b: 'b', c: 1 } },
    ]);
  });
});

/** In a thread, too, of which there are two: each held for its 30 s keeps others waiting. */
describe('the worst parts of a workbook are read in time that grows with their length', () => {
  const many = 1_000_000;
  test.each<[string, () => Uint8Array]>([
    [
      'a format of brackets',
      () =>
        workbook({
          sheets: { A: row(1, 'a') + row(2, '< s="1"><v>1</v></c>') },
          formats: ['['.repeat(many)],
        }),
    ],
    [
      'a text of escapes',
      () => workbook({ sheets: { A: row(1, 'a') + row(2, '_x000'.repeat(many)) } }),
    ],
    [
      'a date of zeros',
      () =>
        workbook({
          sheets: { A: row(1, 'a') + row(2, `< t="d"><v>T00:00:00.${'0'.repeat(many)}x</v></c>`) },
        }),
    ],
    [
      'merged areas in an attribute that has no area',
      () =>
        workbook({
          sheets: {
            A: {
              rows: row(1, 'a') + row(2, 'b'),
              after: `<x y="${'mergeCell ref='.repeat(many / 10)}"/>`,
            },
          },
        }),
    ],
  ])('%s', async (_, bytes) => {
    expect((await read(bytes())).rows).toHaveLength(1);
  });

  test('tags of merged cells that are not closed', async () => {
    const after = '<mergeCell '.repeat(many);
    const bytes = workbook({ sheets: { A: { rows: row(1, 'a') + row(2, 'b'), after } } });
    await expect(read(bytes)).rejects.toThrow('damaged');
  });
});

test('rows wait in the thread until those before are taken, and whoever stops reading ends it', async () => {
  const many = Array.from({ length: 3_000 }, (_, n) => row(n + 1, `n${n}`)).join('');
  let seen = 0;
  for await (const answer of readSheetRows(workbook({ sheets: { A: many } }))) {
    seen += answer.type === 'rows' ? answer.rows.length : 0;
    if (seen >= 1_000) break;
  }
  expect(seen).toBe(1_000);
  // Its place is free again, as is that of one that was refused: two at once, or a third would wait for ever.
  const small = () => read(workbook({ sheets: { A: row(1, 'a') + row(2, 'b') } }));
  expect(await Promise.all([small(), small(), small()])).toHaveLength(3);
});
