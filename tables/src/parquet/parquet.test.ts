import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { COLUMNS, fileOf, someRows } from '../../test/build.ts';
import { createTable } from '../table.ts';
import type { Column, Row, Value } from '../columns.ts';

function arrayBuffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

/** Decimals as their digits: the reader would multiply doubles. */
async function read(columns: readonly Column[], ...chunks: Row[][]): Promise<unknown[][]> {
  const file = arrayBuffer(fileOf({ format: 'parquet', columns }, ...chunks).bytes);
  const metadata = parquetMetadata(file);
  for (const element of metadata.schema) {
    if (element.converted_type !== 'DECIMAL') continue;
    delete element.converted_type;
    delete element.logical_type;
  }
  const rows = await parquetReadObjects({ file, metadata });
  return rows.map((row) => columns.map(({ name }) => digits(row[name])));
}

function digits(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  return BigInt.asIntN(128, BigInt(`0x${Buffer.from(value).toString('hex')}`));
}

test('what was written is read, nulls and odd text included', async () => {
  const odd = 'nul \0, "quotes",\r\n 😀 漢';
  const rows: Row[] = [
    ['1', 'Ada', '12.50', 'True', '2026-01-31T06:00:00'],
    [9007199254740993n, odd, '-0.25', 'f', '2026-01-31T08:00:00.123+02'],
    [null, '', null, null, null],
    ['', null, '', '', ''],
    ['5.0', 'x', 7, 0, new Date(0)],
  ];
  expect(await read(COLUMNS, rows)).toEqual([
    [1n, 'Ada', 125n * 10n ** 17n, true, new Date('2026-01-31T06:00:00Z')],
    [9007199254740993n, odd, -25n * 10n ** 16n, false, new Date('2026-01-31T06:00:00.123Z')],
    [null, '', null, null, null],
    [null, null, null, null, null],
    [5n, 'x', 7n * 10n ** 18n, false, new Date(0)],
  ]);
});

test('the file says what its columns mean', () => {
  const columns: Column[] = [...COLUMNS, { name: 'Price', type: 'decimal', scale: 4 }];
  const { bytes } = fileOf({ format: 'parquet', columns }, []);
  const { schema } = parquetMetadata(arrayBuffer(bytes));
  expect(schema.slice(1).map(({ type, logical_type }) => [type, logical_type])).toEqual([
    ['INT64', undefined],
    ['BYTE_ARRAY', { type: 'STRING' }],
    ['FIXED_LEN_BYTE_ARRAY', { type: 'DECIMAL', precision: 38, scale: 18 }],
    ['BOOLEAN', undefined],
    ['INT64', { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' }],
    ['FIXED_LEN_BYTE_ARRAY', { type: 'DECIMAL', precision: 38, scale: 4 }],
  ]);
});

test('a day is a DATE, and a moment of a known zone is adjusted to UTC', async () => {
  const columns: Column[] = [
    { name: 'Day', type: 'date', moment: 'day' },
    { name: 'At', type: 'date', moment: 'instant' },
  ];
  const rows: Row[] = [
    ['2026-01-31', '2026-01-31 08:00:00.123+02'],
    ['1969-12-30', '1969-12-30 00:00:00+00'],
    [null, null],
  ];
  const { bytes } = fileOf({ format: 'parquet', columns }, rows);
  const { schema } = parquetMetadata(arrayBuffer(bytes));
  expect(schema.slice(1).map(({ type, logical_type }) => [type, logical_type])).toEqual([
    ['INT32', { type: 'DATE' }],
    ['INT64', { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' }],
  ]);
  expect(await read(columns, rows)).toEqual([
    [new Date('2026-01-31T00:00:00Z'), new Date('2026-01-31T06:00:00.123Z')],
    [new Date('1969-12-30T00:00:00Z'), new Date('1969-12-30T00:00:00Z')],
    [null, null],
  ]);
});

test('each chunk is a row group; an empty one is none', async () => {
  const chunks = [someRows(1000), [], someRows(10)];
  const { bytes } = fileOf({ format: 'parquet', columns: COLUMNS }, ...chunks);
  const { row_groups, num_rows } = parquetMetadata(arrayBuffer(bytes));
  expect(row_groups.map((group) => group.num_rows)).toEqual([1000n, 10n]);
  expect(num_rows).toBe(1010n);
  const rows = await read(COLUMNS, ...chunks);
  expect(rows[999]?.[2]).toBe(99_919n * 10n ** 16n);
  expect(rows).toHaveLength(1010);
});

test('a table without rows has its columns', async () => {
  expect(await read(COLUMNS)).toEqual([]);
});

test('columns that are all null, all equal, or named oddly', async () => {
  const columns: Column[] = [
    { name: 'a.b', type: 'text' },
    { name: '__proto__', type: 'number' },
    { name: 'ä "x"', type: 'boolean' },
  ];
  const { bytes } = fileOf(
    { format: 'parquet', columns },
    Array.from({ length: 100 }, (): Row => [null, 5, true]),
  );
  const { schema, num_rows } = parquetMetadata(arrayBuffer(bytes));
  expect(schema.slice(1).map(({ name }) => name)).toEqual(columns.map(({ name }) => name));
  expect(num_rows).toBe(100n);
});

test.each<[Column, Value, string]>([
  [{ name: 'N', type: 'number' }, 'n/a', 'whole numbers of 64 bits'],
  [{ name: 'N', type: 'number' }, 1.5, 'whole numbers'],
  [{ name: 'N', type: 'number' }, Number.NaN, 'whole numbers'],
  [{ name: 'N', type: 'number' }, 2n ** 63n, 'whole numbers'],
  [{ name: 'D', type: 'decimal', scale: 2 }, '0.125', '2 of them after the point'],
  [{ name: 'D', type: 'decimal' }, '1e21', 'numbers of 38 digits'],
  [{ name: 'F', type: 'double' }, '1e400', '64 bits with a floating point'],
  [{ name: 'B', type: 'boolean' }, 'maybe', 'true and false'],
  [{ name: 'T', type: 'date' }, '31/01/2026', 'ISO 8601'],
  [{ name: 'T', type: 'date' }, new Date(Number.NaN), 'ISO 8601'],
])('%o does not hold %s, and the error says so', (column, value, sentence) => {
  const table = createTable({ format: 'parquet', columns: [column] });
  table.write([[null]]);
  expect(() => table.write([[null], [value]])).toThrow(
    expect.objectContaining({ code: 'bad_value', message: expect.stringContaining(sentence) }),
  );
  // The file is as it was: it is carried on from its state, without that row.
  expect(table.state().rows).toBe(1);
});

test('decimals of any size come back', async () => {
  const columns = [{ name: 'D', type: 'decimal', scale: 2 }] as const;
  const texts = [
    '0',
    '-0',
    '0.01',
    '-0.01',
    '-1',
    '5',
    '-42949672.96',
    '42949672.95',
    '9999999999.99',
    '-9999999999.99',
  ];
  const rows = await read(
    columns,
    [...texts, '123456789012345678.90', '1.5e3'].map((text) => [text]),
  );
  const cents = texts.map((text) => BigInt(Math.round(Number(text) * 100)));
  expect(rows.map(([d]) => d)).toEqual([...cents, 12345678901234567890n, 150_000n]);
});

test('whole parts that a double rounds are counted', () => {
  const columns = [{ name: 'D', type: 'double' }] as const;
  const values = [
    '12345678901234567890.5',
    '-9007199254740993',
    '9007199254740992',
    '0.1234567890123456789',
    '1e300',
    '3.3333333333333333333',
  ];
  const { state } = fileOf(
    { format: 'parquet', columns },
    values.map((value) => [value]),
  );
  expect(state.notes).toMatchObject({ rounded: 2, asText: 0 });
});

test('doubles, with what is no number', async () => {
  const columns = [{ name: 'D', type: 'double' }] as const;
  const texts = ['0.1', '-1.7976931348623157e+308', '5e-324', 'NaN', '-Infinity', null];
  const rows = await read(
    columns,
    texts.map((text) => [text]),
  );
  expect(rows.map(([d]) => d)).toEqual([
    0.1,
    -Number.MAX_VALUE,
    5e-324,
    Number.NaN,
    -Infinity,
    null,
  ]);
});

test('the limits of 64 bits and of 38 digits are within them', async () => {
  const columns: Column[] = [
    { name: 'N', type: 'number' },
    { name: 'D', type: 'decimal', scale: 0 },
  ];
  const most = 10n ** 38n - 1n;
  const rows = await read(columns, [
    [2n ** 63n - 1n, most],
    [-(2n ** 63n), -most],
  ]);
  expect(rows.map(([n]) => n)).toEqual([2n ** 63n - 1n, -(2n ** 63n)]);
  expect(rows.map(([, d]) => d)).toEqual([most, -most]);
});

test('half a surrogate pair becomes U+FFFD and is counted', () => {
  const columns = [{ name: 'A', type: 'text' }] as const;
  expect(fileOf({ format: 'parquet', columns }, [['\uD800']]).state.notes.replaced).toBe(1);
});
