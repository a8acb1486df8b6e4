import { describe, expect, test } from 'vitest';
import { COLUMNS, fileOf, someRows } from '../../test/build.ts';
import { cellsOf, directoryOf, unzip } from '../../test/read.ts';
import { createTable } from '../table.ts';
import type { Column, Row, Value } from '../columns.ts';
import { CELL_CHARACTERS, columnLetters, CUT_MARK } from './cells.ts';
import { sheetName } from './files.ts';
import { SHEET_ROWS } from './workbook.ts';

const SHEET = 'xl/worksheets/sheet1.xml';

function workbook(columns: readonly Column[], rows: readonly Row[], name?: string) {
  const xlsx = name === undefined ? {} : { sheetName: name };
  const { bytes, state } = fileOf({ format: 'xlsx', columns, xlsx }, rows);
  return { files: unzip(bytes), state };
}

/** The one cell of a table of one column. */
function cell(type: Column['type'], value: Value): string | undefined {
  const { files } = workbook([{ name: 'A', type }], [[value]]);
  return cellsOf(files.get(SHEET) ?? '')['A2'];
}

test('the files of a workbook, each of them whole and named by the others', () => {
  const { files } = workbook(COLUMNS, someRows(3), 'Orders & <more>');
  expect([...files.keys()]).toEqual([
    '_rels/.rels',
    'xl/styles.xml',
    SHEET,
    'xl/workbook.xml',
    'xl/_rels/workbook.xml.rels',
    '[Content_Types].xml',
  ]);
  expect(files.get('xl/workbook.xml')).toContain('<sheet name="Orders &amp; &lt;more&gt;"');
});

test('the header is bold and stays in view; columns have a width', () => {
  const sheet = workbook(COLUMNS, []).files.get(SHEET) ?? '';
  expect(sheet).toContain(
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>',
  );
  expect(sheet).toContain('<c r="B1" s="1" t="inlineStr"><is><t>Name</t></is></c>');
  expect(sheet.match(/<col /g)).toHaveLength(COLUMNS.length);
});

test.each<[Column['type'], Value, string | undefined]>([
  ['number', '12', '12'],
  ['number', '9007199254740993', 'text 9007199254740993'],
  ['number', 1234567890123456, 'text 1234567890123456'],
  ['number', 0.1 + 0.2, '0.30000000000000004'],
  ['number', Number.NaN, 'text NaN'],
  ['number', '007', 'text 007'],
  ['decimal', '12.50', '12.50'],
  ['decimal', '12345678901234.5678', 'text 12345678901234.5678'],
  ['decimal', '', undefined],
  ['boolean', 'True', 't="b" 1'],
  ['boolean', 'maybe', 'text maybe'],
  ['date', '2026-01-31', 's="2" 46053'],
  ['date', '2026-01-31T06:00:00', 's="3" 46053.25'],
  ['date', '2026-01-31T08:00:00.000+02', 's="3" 46053.25'],
  ['date', '1900-03-01', 's="2" 61'],
  ['date', '1900-02-28', 'text 1900-02-28'],
  ['date', '9999-12-31', 's="2" 2958465'],
  ['date', new Date(Number.NaN), 'text Invalid Date'],
  ['text', 12, 'text 12'],
  ['text', '=1+1', 'text =1+1'],
  ['text', '', 'text '],
  ['text', null, undefined],
])('%s %s is the cell %s', (type, value, expected) => {
  expect(cell(type, value)).toBe(expected);
});

test.each([
  'nul \0 bell \u0007 return \r\n tab \t delete \u007f',
  '<&> "quoted" \'too\'',
  'looks escaped _x0041_ _x0041_x0042_ _x005F_',
  'half \uD800 pair, \uFFFE \uFFFF 😀',
  ' blanks around ',
])('every text comes back: %j', (value) => {
  expect(cell('text', value)).toBe(`text ${value}`);
});

test('a cell that is too long is cut with a mark, and counted', () => {
  const fits = 'x'.repeat(CELL_CHARACTERS);
  expect(cell('text', fits)).toBe(`text ${fits}`);
  const { files, state } = workbook([{ name: 'A', type: 'text' }], [[`x${'😀'.repeat(16_384)}`]]);
  const text = cellsOf(files.get(SHEET) ?? '')['A2']?.slice('text '.length) ?? '';
  expect(text.endsWith(CUT_MARK)).toBe(true);
  expect(text.length).toBeLessThanOrEqual(CELL_CHARACTERS);
  expect(text.isWellFormed()).toBe(true);
  expect(state.notes.cut).toBe(1);
});

test('more rows than a sheet has go on in the next, with the header again', () => {
  const table = createTable({
    format: 'xlsx',
    columns: [{ name: 'A', type: 'number' }],
    xlsx: { sheetName: 'Long' },
  });
  const pieces: Uint8Array[] = [];
  const rows = Array.from({ length: SHEET_ROWS / 16 }, (): Row => [1]);
  for (let i = 0; i < 16; i++) pieces.push(...table.write(rows));
  const files = unzip(Buffer.concat([...pieces, ...table.write([[2]]), ...table.end()]));
  // Of 16 sixteenths one row found no place beside the header; then the one with 2.
  const first = files.get(SHEET) ?? '';
  expect(first.lastIndexOf('<row ')).toBe(first.indexOf(`<row r="${SHEET_ROWS}">`));
  expect(cellsOf(files.get('xl/worksheets/sheet2.xml') ?? '')).toEqual({
    A1: 'text A',
    A2: '1',
    A3: '2',
  });
  expect(files.get('xl/workbook.xml')).toMatch(/name="Long" .*name="Long 2" /);
  expect(files.get('[Content_Types].xml')).toContain('/xl/worksheets/sheet2.xml');
});

test('behind 4 GiB the directory is in the ZIP64 form, and sheets end before', () => {
  const options = { format: 'xlsx', columns: COLUMNS } as const;
  const begun = createTable(options);
  begun.write(someRows(2));
  const state = begun.state();
  const { xlsx } = state.format;
  const sheet = xlsx?.sheet;
  if (xlsx === undefined || sheet === null || sheet === undefined) throw new Error('no sheet');
  // As if the sheet had 4 GiB of XML, and the file 5 GiB.
  const far = 5 * 2 ** 30;
  const full = {
    ...xlsx,
    offset: far,
    sheet: { ...sheet, size: 0xf0000001, packedSize: 0xf0000001 },
  };
  const table = createTable(options, { ...state, bytes: far, format: { xlsx: full } });
  const tail = Buffer.concat([...table.write(someRows(1)), ...table.end()]);
  const { entries, offset } = directoryOf(tail, far);
  expect(offset).toBeGreaterThan(far);
  const sizes = entries.map(({ size }) => size);
  expect(Math.max(...sizes)).toBeLessThan(2 ** 32);
  const second = entries.find(({ name }) => name === 'xl/worksheets/sheet2.xml');
  expect(second?.offset).toBeGreaterThan(far);
  expect(tail.readUInt32LE((second?.offset ?? 0) - far)).toBe(0x04034b50);
});

test('a table that is too wide for a sheet is refused', () => {
  const columns = Array.from({ length: 16_385 }, (_, i): Column => ({
    name: `${i}`,
    type: 'text',
  }));
  expect(() => createTable({ format: 'xlsx', columns })).toThrow('at most 16384 columns');
});

describe('names', () => {
  test.each([
    [0, 'A'],
    [25, 'Z'],
    [26, 'AA'],
    [701, 'ZZ'],
    [702, 'AAA'],
    [16_383, 'XFD'],
  ])('column %i is %s', (index, letters) => {
    expect(columnLetters(index)).toBe(letters);
  });

  test.each([
    ['Orders', 1, 'Orders'],
    ['Orders', 2, 'Orders 2'],
    ['a/b:c[d]', 1, 'a b c d'],
    ["'quoted'", 1, 'quoted'],
    ['', 1, 'Sheet'],
    ['History', 1, 'Sheet History'],
    ['x'.repeat(40), 12, `${'x'.repeat(28)} 12`],
    [`${'x'.repeat(30)}😀`, 1, 'x'.repeat(30)],
  ])('a sheet asked to be %j is, as number %i, %j', (name, number, expected) => {
    expect(sheetName(name, number)).toBe(expected);
  });
});
