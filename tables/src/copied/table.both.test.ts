import { describe, expect } from 'vitest';
import { COLUMNS, fileOf, someRows } from '../../test/build.ts';
import { ALL_TYPES, copied, fileOfCopy, HOSTILE_TEXTS, placedCells } from '../../test/copy.ts';
import { unzip } from '../../test/read.ts';
import { TABLE_FORMATS } from '../formats.ts';
import type { TableState } from '../table.ts';
import type { Column, Row } from '../columns.ts';
import { SHEET_ROWS } from '../xlsx/workbook.ts';
import { type CopiedTableOptions, createCopiedTable } from './table.ts';
import { inFast, inLong } from '../../../scripts/suite.ts';

const NUMBERS = [
  '0', '-0', '12', '-12', '007', '+5', '123456789012345', '1234567890123456', '9007199254740991',
  '9007199254740993', '-9223372036854775808', '12.50', '0.000000000000000001', '.5', '5.', '1e5',
  '1.5E-7', '0.30000000000000004', '1.7976931348623157e+308', '5e-324', `1${'0'.repeat(310)}`, '1e400', '123456789012345678901234567890.123456789', 'NaN', 'Infinity', '-Infinity', '-', 'n/a', '',
]; // prettier-ignore
const DATES = [
  '2026-01-31', '2026-02-29', '2024-02-29', '1900-02-28', '1900-03-01', '0001-01-01', '0000-03-01', '9999-12-31',
  '10000-01-01', '0044-03-15 BC', 'infinity', '-infinity', '2026-01-31 06:00:00', '2026-01-31T06:00:00',
  '2026-01-31 06:00:00.1', '2026-01-31 06:00:00.123456', '2026-01-31 06:00:00.1234567', '2026-01-31 06:00:00.12345600',
  '2026-01-31 06:00:00+00', '2026-01-31 23:59:59.999999-05:30', '2026-01-31 06:00:00Z', '2026-01-31 24:00:00',
  '2026-01-31 06:60:00', '2026-01-31 06:00', '2026-01-31 06:00:00.', '2026-01-31 06:00:00+0', '2026-01-31 06:00:00+053',
  '1969-12-31 23:59:59.9995', '2026-1-31', '20260131', '',
]; // prettier-ignore
const BOOLEANS = ['t', 'f', 'true', 'false', 'True', '1', '0', 'maybe', ''];

/** Each value in a column of each type. */
const HOSTILE_ROWS: Row[] = [...HOSTILE_TEXTS, ...NUMBERS, ...DATES, ...BOOLEANS, null].map(
  (value) => ALL_TYPES.map(() => value),
);

/** Each of them in each column of a record whose other fields are right as they are. */
const PLAIN: Readonly<Record<Column['type'], string>> = {
  text: 'x',
  number: '12',
  decimal: '-12.50',
  double: '0.5',
  boolean: 'true',
  date: '2026-01-31 06:00:00.123456+00',
};
const HOSTILE_FIELDS: Row[] = HOSTILE_ROWS.flatMap((row) =>
  ALL_TYPES.map((_, at) => ALL_TYPES.map(({ type }, i) => (i === at ? row[i] : PLAIN[type]))),
);

describe('the same file as from values', () => {
  inFast.each<Partial<CopiedTableOptions>>([
    {},
    { csv: { crlf: true, bom: true } },
    { csv: { formulaGuard: false } },
    { columns: ALL_TYPES.map((column) => ({ ...column, isGuarded: false })) },
    { compression: 'gzip' },
  ])('CSV, %j', (more) => {
    const options = { format: 'csv', columns: ALL_TYPES, ...more } as const;
    const rows = [...HOSTILE_ROWS, ...HOSTILE_FIELDS];
    const { bytes, state } = fileOfCopy(options, copied(rows));
    const given = fileOf({ ...options, compression: null }, rows);
    if (options.compression === undefined) expect(bytes.toString()).toBe(given.text);
    expect(state.notes).toEqual(given.state.notes);
  });

  inFast('JSON Lines with JSON in them', () => {
    const columns: Column[] = [
      { name: 'a', type: 'text', isJson: true },
      { name: 'b', type: 'text' },
    ];
    const rows: Row[] = [
      ['{"x": [1, "é\\n\\"", null]}', '{"x": 1}'],
      ['[1,\r\n 2]', ''],
      ['-1e400', null],
      [null, 'x'],
    ];
    const options = { format: 'jsonl', columns } as const;
    const { bytes } = fileOfCopy(options, copied(rows));
    expect(bytes.toString()).toBe(fileOf(options, rows).text);
    expect(bytes.toString()).toBe(
      String.raw`{"a":{"x": [1, "é\n\"", null]},"b":"{\"x\": 1}"}
{"a":[1,  2],"b":""}
{"a":-1e400,"b":null}
{"a":null,"b":"x"}
`,
    );
  });

  inFast('JSON Lines', () => {
    const options = { format: 'jsonl', columns: ALL_TYPES } as const;
    const { bytes, state } = fileOfCopy(options, copied(HOSTILE_ROWS));
    const given = fileOf(options, HOSTILE_ROWS);
    expect(bytes.toString()).toBe(given.text);
    expect(state.notes).toEqual(given.state.notes);
  });

  inFast('XLSX, but for the places of cells', () => {
    const options = { format: 'xlsx', columns: ALL_TYPES } as const;
    const { bytes, state } = fileOfCopy(options, copied(HOSTILE_ROWS));
    const given = fileOf(options, HOSTILE_ROWS);
    const ours = unzip(bytes);
    const others = unzip(given.bytes);
    const sheet = 'xl/worksheets/sheet1.xml';
    for (const [name, text] of others) if (name !== sheet) expect(ours.get(name)).toBe(text);
    const rows = placedCells(ours.get(sheet) ?? '');
    expect(rows).toHaveLength(HOSTILE_ROWS.length + 1);
    const present = rows.map((row) => row.filter((cell) => cell !== ''));
    expect(present).toEqual(placedCells(others.get(sheet) ?? ''));
    expect(rows.map(({ length }) => length)).toEqual(rows.map(() => ALL_TYPES.length));
    expect(state.notes).toEqual(given.state.notes);
  });

  inFast('Parquet', () => {
    const columns = ALL_TYPES.map(({ name }): Column => ({ name, type: 'text' }));
    const given = fileOf({ format: 'parquet', columns }, HOSTILE_ROWS);
    const { bytes } = fileOfCopy({ format: 'parquet', columns }, copied(HOSTILE_ROWS));
    expect(bytes.equals(given.bytes)).toBe(true);
    const typed = fileOf({ format: 'parquet', columns: COLUMNS }, someRows(3000));
    const ours = fileOfCopy({ format: 'parquet', columns: COLUMNS }, copied(someRows(3000)));
    expect(ours.bytes.equals(typed.bytes)).toBe(true);
  });

  inLong('every character in front of a formula is seen', () => {
    const rows: Row[] = [];
    for (let code = 1; code < 0x110000; code++) {
      if (code === 0xd800) code = 0xe000;
      rows.push([`${String.fromCodePoint(code)}=1`, 'x']);
    }
    const columns: Column[] = [
      { name: 'A', type: 'text' },
      { name: 'B', type: 'text' },
    ];
    const given = fileOf({ format: 'csv', columns }, rows);
    const { bytes } = fileOfCopy({ format: 'csv', columns }, copied(rows));
    expect(bytes.equals(given.bytes)).toBe(true);
  });

  inLong('every character at the ends of a cell is kept', () => {
    const rows: Row[] = [];
    for (let code = 1; code < 0x11000; code++) {
      if (code === 0xd800) code = 0xe000;
      const character = String.fromCodePoint(code);
      rows.push([`${character}x`, `x${character}`]);
    }
    const columns: Column[] = [
      { name: 'A', type: 'text' },
      { name: 'B', type: 'text' },
    ];
    const sheet = (bytes: Buffer) => unzip(bytes).get('xl/worksheets/sheet1.xml') ?? '';
    const given = sheet(fileOf({ format: 'xlsx', columns }, rows).bytes);
    const ours = sheet(fileOfCopy({ format: 'xlsx', columns }, copied(rows)).bytes);
    expect(placedCells(ours)).toEqual(placedCells(given));
  });
});

const SHAPES: CopiedTableOptions[] = [
  ...TABLE_FORMATS.map((format): CopiedTableOptions => ({ format, columns: COLUMNS, hidden: 1 })),
  { format: 'csv', columns: COLUMNS },
  { format: 'csv', columns: COLUMNS, compression: 'gzip', csv: { bom: true }, hidden: 1 },
  { format: 'jsonl', columns: COLUMNS, compression: 'gzip' },
];

describe.each(SHAPES)('$format $compression, $hidden hidden', (options) => {
  const rows = someRows(9000);
  const given = rows.map((row) => (options.hidden === 1 ? ['a "key",\n', ...row] : row));
  const batches = [given.slice(0, 1), given.slice(1, 7000), given.slice(7000)].map(copied);
  const whole = fileOfCopy(options, ...batches);

  inFast('cut off at any chunk and carried on, it has the same bytes', () => {
    for (let stop = 0; stop <= batches.length + 1; stop++) {
      const first = createCopiedTable(options);
      const steps = [
        ...batches.map(
          (batch) =>
            (table = first) =>
              table.write(batch),
        ),
        (table = first) => table.end(),
      ];
      const before = steps.slice(0, stop).flatMap((step) => step());
      const saved = JSON.parse(JSON.stringify(first.state())) as TableState;
      const lost = stop < steps.length ? (steps[stop]?.() ?? []) : [];
      const kept = Buffer.concat([...before, ...lost]).subarray(0, saved.bytes);
      const next = createCopiedTable(options, saved);
      const after = steps.slice(stop).flatMap((step) => step(next));
      expect(Buffer.concat([kept, ...after]).equals(whole.bytes), `stopped at ${stop}`).toBe(true);
      expect(next.state()).toEqual(whole.state);
    }
  });

  inFast('it counts rows and bytes', () => {
    expect(whole.state).toMatchObject({ rows: 9000, bytes: whole.bytes.length, isEnded: true });
  });

  inFast.each([
    ['x,y\n', 1],
    ['1,2,3,4,5,6,7\n', 1],
    ['1,2,3,4,5,6', 1],
    [Buffer.from(copied(given.slice(0, 2)).bytes).toString(), 3],
    ['"open,2,3,4,5,6\n', 1],
    ['"a"b,2,3,4,5,6\n', 1],
  ])('what is no batch of its rows is refused: %j', (text, count) => {
    const table = createCopiedTable(options);
    table.write(batches[0] ?? copied([]));
    const before = table.state();
    const batch = { bytes: Buffer.from(text), rows: count };
    expect(() => table.write(batch)).toThrow(expect.objectContaining({ code: 'bad_row' }));
    expect(() => table.write(copied(given.slice(0, 1)))).toThrow('Carry on from its state');
    expect(table.state()).toEqual(before);
  });

  inFast('it is not carried on with other hidden fields', () => {
    const other = { ...options, hidden: 2 };
    expect(() => createCopiedTable(other, whole.state)).toThrow('Start the file again');
  });
});

describe('sheets', () => {
  const options = { format: 'xlsx', columns: [{ name: 'A', type: 'number' }] } as const;
  const ones = copied(Array.from({ length: 100_000 }, (): Row => [1]));

  inFast('a batch is cut between two rows where the sheet ends', () => {
    const table = createCopiedTable(options);
    const pieces: Uint8Array[] = [];
    for (let i = 0; i < 10; i++) pieces.push(...table.write(ones));
    const saved = JSON.parse(JSON.stringify(table.state())) as TableState;
    const rest = () => {
      const next = createCopiedTable(options, saved);
      return Buffer.concat([...next.write(ones), ...next.write(copied([[2]])), ...next.end()]);
    };
    const last = Buffer.concat([
      ...table.write(ones),
      ...table.write(copied([[2]])),
      ...table.end(),
    ]);
    expect(rest().equals(last)).toBe(true);
    const files = unzip(Buffer.concat([...pieces, last]));
    const rowsOf = (number: number) =>
      (files.get(`xl/worksheets/sheet${number}.xml`) ?? '').split('<row>').slice(1);
    const first = rowsOf(1);
    const second = rowsOf(2);
    expect(first).toHaveLength(SHEET_ROWS);
    // The header again, what is left of the ones, and the 2.
    expect(second).toHaveLength(1 + (1_100_000 - (SHEET_ROWS - 1)) + 1);
    expect(second[0]).toContain('<t>A</t>');
    expect(second.at(-1)).toContain('<v>2</v>');
    expect(rowsOf(3)).toEqual([]);
  });

  inFast('a sheet of nearly 4 GiB is followed by another', () => {
    const begun = createCopiedTable(options);
    begun.write(ones);
    const state = begun.state();
    const { xlsx } = state.format;
    if (xlsx?.sheet === null || xlsx?.sheet === undefined) throw new Error('no sheet');
    const full = { ...xlsx, sheet: { ...xlsx.sheet, size: 0xf0000001 } };
    const table = createCopiedTable(options, { ...state, format: { xlsx: full } });
    table.write(copied([[2]]));
    expect(table.state().format.xlsx?.sheet).toMatchObject({ number: 2, rows: 2 });
  });
});
