import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { need } from '../../../scripts/need.mjs';
import { fileOf } from '../../test/build.ts';
import type { Column, Row } from '../columns.ts';

// By another reader than that of the writer's authors, and one that skips row groups by their bounds.

await need('duckdb');

interface Duckdb {
  readonly DuckDBInstance: {
    create(path: string): Promise<{
      connect(): Promise<{
        runAndReadAll(sql: string): Promise<{ getRowsJson(): unknown[][] }>;
        closeSync(): void;
      }>;
      closeSync(): void;
    }>;
  };
}

const FOLDER = new URL(
  '../../../lab/simulators/marketing-cloud/duckdb/package.json',
  import.meta.url,
);
const { DuckDBInstance } = createRequire(FOLDER)('@duckdb/node-api') as Duckdb;

let folder: string;
let run: (sql: string) => Promise<unknown[][]>;
let close: () => void;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-parquet-'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  run = async (sql) => (await connection.runAndReadAll(sql)).getRowsJson();
  close = () => {
    connection.closeSync();
    instance.closeSync();
  };
});
afterAll(async () => {
  close();
  await rm(folder, { recursive: true });
});

async function written(columns: readonly Column[], ...groups: Row[][]): Promise<string> {
  const path = join(folder, `${groups.flat().length}-${columns.length}.parquet`);
  await writeFile(path, fileOf({ format: 'parquet', columns }, ...groups).bytes);
  return `'${path}'`;
}

test('filters find the rows of every group, and the bounds are those of the values', async () => {
  const columns: Column[] = [
    { name: 'N', type: 'number' },
    { name: 'T', type: 'text' },
    { name: 'D', type: 'decimal', scale: 2 },
    { name: 'F', type: 'double' },
    { name: 'B', type: 'boolean' },
    { name: 'W', type: 'date' },
    { name: 'Y', type: 'date', moment: 'day' },
  ];
  const rows: Row[][] = [
    [
      ['-5', '\uFF5E', '-12.50', '-0.5', 'true', '2026-01-31T06:00:00', '2026-01-31'],
      [7, '😀', '3.00', '1e300', 'true', '2026-02-01T06:00:00', '1969-12-31'],
      [null, null, null, null, null, null, null],
    ],
    [
      [
        '9007199254740993',
        `${'z'.repeat(40)}\0`,
        '-0.01',
        'NaN',
        'false',
        '2027-01-01',
        '2027-01-01',
      ],
      [1, '', '123456789012345678.90', '2', 'false', '2027-06-01', '2028-01-01'],
    ],
  ];
  const file = await written(columns, ...rows);
  const count = async (where: string) =>
    Number((await run(`SELECT count(*) FROM ${file} WHERE ${where}`))[0]?.[0]);
  const found = await Promise.all(
    [
      'N = -5',
      'N > 9007199254740992',
      // In UTF-16 the emoji comes before U+FF5E, in bytes after it.
      "T = '😀'",
      "T > '\uFF5E'",
      "T < 'zzz'",
      "T LIKE 'zzzz%'",
      'D < -12',
      'D BETWEEN -1 AND 0',
      'D > 100000000000000000',
      'F > 1e299',
      'F = 2',
      'B',
      'NOT B',
      "W >= '2027-01-01'",
      "Y < '1970-01-01'",
      'N IS NULL',
    ].map(count),
  );
  expect(found).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 2, 2, 2, 1, 1]);
  const bounds = await run(
    `SELECT path_in_schema, row_group_id, stats_min_value, stats_max_value, stats_null_count::int
       FROM parquet_metadata(${file}) ORDER BY row_group_id, column_id`,
  );
  expect(bounds.map((each) => each.slice(2))).toEqual([
    ['-5', '7', 1],
    ['\uFF5E', '😀', 1],
    ['-12.50', '3.00', 1],
    ['-0.5', '1e+300', 1],
    ['true', 'true', 1],
    ['2026-01-31 06:00:00', '2026-02-01 06:00:00', 1],
    ['1969-12-31', '2026-01-31', 1],
    ['1', '9007199254740993', 0],
    ['', `${'z'.repeat(15)}{`, 0],
    ['-0.01', '123456789012345678.90', 0],
    // Readers do not agree where NaN stands.
    [null, null, 0],
    ['false', 'false', 0],
    ['2027-01-01 00:00:00', '2027-06-01 00:00:00', 0],
    ['2027-01-01', '2028-01-01', 0],
  ]);
});

test('a text that no short one is above has no bounds', async () => {
  const columns: Column[] = [{ name: 'T', type: 'text' }];
  const file = await written(columns, [['a'], [`${'\u{10FFFF}'.repeat(30)}z`]]);
  expect(await run(`SELECT stats_min_value FROM parquet_metadata(${file})`)).toEqual([[null]]);
  expect(await run(`SELECT count(*)::int FROM ${file} WHERE T > 'b'`)).toEqual([[1]]);
});
