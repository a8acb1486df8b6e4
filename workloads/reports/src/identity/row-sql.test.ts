import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedSource, openEmbeddedSource } from '@millrace/sql-source';
import { createDatabase, lockFolder } from '@millrace/store-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MissingColumn, rowSql } from './row-sql.ts';

let folder: string;
let source: EmbeddedSource;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-row-sql-'));
  source = openEmbeddedSource({ folder, lock: lockFolder, create: createDatabase });
  await source.change(`
    CREATE TABLE things (
      small smallint, whole integer, large bigint, words text, short varchar(10), fixed char(6),
      uuid uuid, exact numeric(10,2), day date, "Odd ""name" text);
    INSERT INTO things VALUES
      (1, 1, 1, 'a', 'a', 'a', '00000000-0000-0000-0000-000000000001', 1.50, '2026-01-01', 'a'),
      (2, 2, 2, 'b', 'b', 'b', '00000000-0000-0000-0000-000000000002', 2.50, '2026-01-02', 'b'),
      (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  `);
});
afterAll(async () => {
  await source.close();
  rmSync(folder, { recursive: true, force: true });
});

/** How many rows of `things` are seen by whoever may see these values of a column. */
async function seen(column: string, values: readonly string[]): Promise<number> {
  const reading = await source.begin({ statementTimeoutMs: 60_000 });
  try {
    const columns = await reading.describe('SELECT * FROM things');
    const typeOf = (name: string) => columns.find((each) => each.name === name)?.type ?? null;
    const { where, bind } = rowSql({ see: 'some', where: [{ column, values }] }, typeOf);
    await reading.set(bind);
    const rows = await reading.rows(`SELECT count(*) FROM (SELECT * FROM things) q WHERE ${where}`);
    return Number(rows[0]?.[0]);
  } finally {
    await reading.end();
  }
}

const HOSTILE = [
  "'; DROP TABLE things; --",
  '" OR TRUE --',
  '{1,2}',
  'NULL',
  '1 OR 1=1',
  '1}',
  '\\',
  '99999999999999999999',
];

test.each([
  ['small', '1'],
  ['whole', '1'],
  ['large', '1'],
  ['words', 'a'],
  ['short', 'a'],
  ['fixed', 'a'],
  ['uuid', '00000000-0000-0000-0000-000000000001'],
  ['exact', '1.50'],
  ['day', '2026-01-01'],
  ['Odd "name', 'a'],
])(
  'a column %s shows the rows of the values, and no value is more than a value',
  async (column, value) => {
    expect(await seen(column, [value])).toBe(1);
    expect(await seen(column, [value, ...HOSTILE])).toBe(1);
    expect(await seen(column, HOSTILE)).toBe(0);
  },
);

test('columns of numbers are compared as numbers, so that their index is used', () => {
  const decision = {
    see: 'some',
    where: [{ column: 'county_id', values: ['19', 'all'] }],
  } as const;
  expect(rowSql(decision, () => 'integer')).toMatchObject({
    where: `"county_id" = ANY (current_setting('rp._rows_0')::int4[])`,
    bind: { _rows_0: '{"19"}' },
  });
});

test('whoever sees some is never without a condition; whoever sees everything has none', () => {
  expect(rowSql({ see: 'some', where: [] }, () => 'text')).toMatchObject({
    where: 'FALSE',
    bind: {},
  });
  expect(rowSql({ see: 'some', where: [{ column: 'a', values: [] }] }, () => 'text').where).toBe(
    'FALSE',
  );
  expect(rowSql({ see: 'everything' }, () => null)).toMatchObject({ where: null, bind: {} });
});

test('a column that the SQL does not give is an error, and not a condition that is left out', () => {
  const decision = { see: 'some', where: [{ column: 'county_id', values: ['19'] }] } as const;
  expect(() => rowSql(decision, () => null)).toThrow(MissingColumn);
});
