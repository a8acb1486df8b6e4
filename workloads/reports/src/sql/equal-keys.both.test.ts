import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type TestPostgres,
  copied,
  openTestPostgres,
  reading as within,
} from '../../../../connectors/sql-source/test/sources.ts';
import { type SomeReport, type SqlWorld, fileOfReport } from '../../test/sql-world.ts';
import { isLong } from '../../../../scripts/need.mjs';
import { inFast } from '../../../../scripts/suite.ts';

/**
 * Keys that Postgres calls equal and writes in several ways. The property: whatever the type of the key, however often the reading
 * stops, the file has the bytes of the server's own COPY. On a server alone: the embedded database has neither citext nor ICU.
 */

const TYPES = `
CREATE EXTENSION citext;
CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (a numeric, b text);
CREATE DOMAIN code AS citext;
CREATE DOMAIN amount AS numeric`;

/**
 * By the type of each default operator class that Postgres can order by: types of columns, with values of which some are equal, where
 * the type has such.
 */
const SAMPLES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  boolean: { boolean: ['t', 'f'] },
  '"char"': { '"char"': ['a', 'B', '-'] },
  smallint: { smallint: ['-3', '0', '7'] },
  integer: { integer: ['-3', '0', '7'] },
  bigint: { bigint: ['-9007199254740993', '9007199254740993', '9007199254740992'] },
  oid: { oid: ['1', '2', '4294967295'] },
  oidvector: { oidvector: ['1 2', '1', '2'] },
  tid: { tid: ['(0,1)', '(0,2)', '(1,1)'] },
  xid8: { xid8: ['1', '10', '9'] },
  pg_lsn: { pg_lsn: ['0/1', '0/A', '1/0'] },
  real: { real: ['0', '-0', '1.5', 'NaN', '-Infinity'] },
  'double precision': { 'double precision': ['0', '-0', '0.1', 'NaN', '-Infinity'] },
  numeric: {
    numeric: ['1', '1.0', '1.00', '2', '-0.5', '-0.50', 'NaN', '-Infinity'],
    'numeric(8,2)': ['1', '2.50', '-0.5'],
    amount: ['1', '1.0', '3'],
  },
  money: { money: ['-1.00', '1', '2.5'] },
  text: {
    text: ['Key1', 'KEY1', 'a "b", c', 'é', 'e', 'Zoë', ' '],
    'varchar(9)': ['Key1', 'KEY1', 'key1'],
    'text COLLATE loose': ['Key1', 'KEY1', 'kEY1', 'other'],
    'text COLLATE "C"': ['Key1', 'KEY1', 'key1'],
  },
  character: {
    bpchar: ['a', 'a ', 'a   ', 'b'],
    'character(4)': ['a', 'b', 'ab'],
    'character(4) COLLATE loose': ['a', 'A', 'b'],
  },
  name: { name: ['Key1', 'KEY1', 'a'] },
  citext: { citext: ['Key1', 'KEY1', 'kEY1', 'a', 'A'], code: ['Key1', 'KEY1', 'b'] },
  bytea: { bytea: ['\\x00', '\\x0a', '\\x'] },
  date: { date: ['2026-01-31', '0044-03-15 BC', 'infinity'] },
  'time without time zone': { time: ['00:00', '24:00', '12:00:00.123456'] },
  'time with time zone': { timetz: ['12:00+00', '13:00+01', '11:00-01'] },
  'timestamp without time zone': {
    timestamp: ['2026-01-31 06:00', '2026-01-31 06:00:00.000001', 'infinity'],
  },
  'timestamp with time zone': {
    timestamptz: ['2026-01-31 06:00+00', '2026-01-31 06:00:00.000001+00', '-infinity'],
  },
  interval: {
    interval: ['1 day', '24:00:00', '1 mon', '30 days', '720:00:00', '-1 day', '-24:00'],
  },
  uuid: {
    uuid: ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  },
  bit: { 'bit(3)': ['101', '011', '111'] },
  'bit varying': { varbit: ['101', '1', '1010'] },
  inet: { inet: ['10.0.0.1', '10.0.0.1/8', '::1'], cidr: ['10.0.0.0/8', '10.0.0.0/9'] },
  macaddr: { macaddr: ['08:00:2b:01:02:03', '08:00:2b:01:02:04'] },
  macaddr8: { macaddr8: ['08:00:2b:01:02:03:04:05', '08:00:2b:01:02:03:04:06'] },
  jsonb: { jsonb: ['1', '1.0', '{"a": 1}', '{"a": 1.00}', '[1, 2]', '"x"', 'null'] },
  tsvector: { tsvector: ["'a' 'b'", "'a':1 'b'", "'c'"] },
  tsquery: { tsquery: ["'a' & 'b'", "'a' | 'b'", "!'c'"] },
  anyenum: { mood: ['happy', 'sad', 'ok'] },
  anyarray: {
    'numeric[]': ['{1}', '{1.0}', '{1,2}', '{1.0,2}'],
    'citext[]': ['{a}', '{A}', '{b}'],
    'int[]': ['{1}', '{2}', '{1,2}'],
  },
  anyrange: { numrange: ['[1,2)', '[1.0,2)', '[1,2.0)', 'empty'], int4range: ['[1,5)', '[2,3)'] },
  anymultirange: { nummultirange: ['{[1,2)}', '{[1.0,2)}', '{}'] },
  record: { pair: ['(1,a)', '(1.0,a)', '(2,a)', '(1,b)'] },
};

/** SQL that makes one row of rows with equal keys, or computes something of them; the database looks at the key before that, if it may. */
const GROUPING: Readonly<Record<string, (table: string) => string>> = {
  'GROUP BY': (table) => `SELECT k, count(*) AS n, min(n) AS first FROM ${table} GROUP BY k`,
  'a view that groups': (table) => `SELECT * FROM ${table}_groups`,
  'GROUP BY in a WITH': (table) =>
    `WITH g AS (SELECT k, count(*) AS n, min(n) AS first FROM ${table} GROUP BY k) SELECT * FROM g`,
  'GROUP BY behind a join': (table) =>
    `SELECT g.k, g.n, o.n AS other FROM (SELECT k, count(*) AS n FROM ${table} GROUP BY k) g JOIN ${table} o ON o.n = g.n`,
  'its text, GROUP BY': (table) =>
    `SELECT pg_catalog.format('%s', k) AS k, count(*) AS n, min(n) AS first FROM ${table} GROUP BY ${table}.k`,
  DISTINCT: (table) => `SELECT DISTINCT k, 1 AS n FROM ${table}`,
  'DISTINCT ON': (table) => `SELECT DISTINCT ON (k) k, 1 AS n FROM ${table} ORDER BY k, n`,
  UNION: (table) => `SELECT k, 1 AS n FROM ${table} UNION SELECT k, 1 FROM ${table}`,
  INTERSECT: (table) =>
    `SELECT k, 1 AS n FROM ${table} WHERE n = 0 INTERSECT SELECT k, 1 FROM ${table} WHERE n > 0`,
  EXCEPT: (table) =>
    `SELECT k, 1 AS n FROM ${table} WHERE n = 0 EXCEPT SELECT k, 1 FROM ${table} WHERE n > 0`,
  'a window': (table) =>
    `SELECT k, n, count(*) OVER (PARTITION BY k) AS all, min(n) OVER (PARTITION BY k) AS first FROM ${table}`,
};

/** Types of the whole catalogue that can be ordered. */
const ORDERED = `
SELECT DISTINCT format_type(c.opcintype, NULL)
  FROM pg_opclass c JOIN pg_am a ON a.oid = c.opcmethod WHERE a.amname = 'btree' AND c.opcdefault`;

const CASES = Object.values(SAMPLES).flatMap((types) => Object.entries(types));
const NAMED = CASES.map(([type, values], at) => ({ type, values, table: `keys_${at}` }));
/** Every row is a batch of its own, and so every pair of rows a place to go on between. */
const ROW_BY_ROW = { bytes: 1, rows: 1 };

let opened: TestPostgres;
let world: SqlWorld;
beforeAll(async () => {
  opened = await openTestPostgres();
  const { source, script, drop } = opened;
  world = { source, change: script, within: (work) => within(source, work), close: drop };
  await script(TYPES);
  for (const { type, values, table } of NAMED) {
    const rows = values.map((value, at) => `('${value.replaceAll("'", "''")}', ${at})`).join(', ');
    await script(
      `CREATE TABLE ${table} (k ${type} NOT NULL, n int NOT NULL); INSERT INTO ${table} VALUES ${rows}; CREATE INDEX ON ${table} (k); CREATE VIEW ${table}_groups AS SELECT k, count(*) AS n, min(n) AS first FROM ${table} GROUP BY k`,
    );
  }
});
afterAll(() => world.close());

inFast('every type that Postgres can order is among the samples', async () => {
  const rows = await world.within((reading) => reading.rows(ORDERED));
  expect(Object.keys(SAMPLES).toSorted()).toEqual(rows.map(([name]) => name ?? '').toSorted());
});

/** As the server writes it; boolean as files have it. */
async function copyOf(type: string, table: string): Promise<string> {
  const k = type === 'boolean' ? 'k::text' : 'k';
  const sql = `SELECT ${k}, n FROM ${table} t ORDER BY t.k, format('%s', t.k) COLLATE "C"`;
  return `k,n\n${await world.within((reading) => copied(reading, sql))}`;
}

// Both ways of reading: what the planner takes for tables of a few rows, which is a sort, and chunks by the index.
const MODES = [
  ['stream', 'on'],
  ['chunks', 'off'],
] as const;
describe.each(MODES.filter(([mode]) => (mode === 'stream') === isLong))('as %s', (mode, sorts) => {
  beforeAll(async () => {
    const name = new URL(opened.url).pathname.slice(1);
    for (const setting of ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'])
      await world.change(`ALTER DATABASE "${name}" SET ${setting} = ${sorts}`);
  });

  test.each(NAMED)(
    'no row is lost or doubled where $type is the key, wherever the reading stops',
    async ({ type, table }) => {
      const report: SomeReport = { sql: `SELECT k, n FROM ${table}`, key: ['k'] };
      const expected = await copyOf(type, table);
      for (const stopAfter of [Infinity, 1]) {
        const options = { format: 'csv', chunk: ROW_BY_ROW } as const;
        const { bytes, decisions } = await fileOfReport(world, report, options, stopAfter);
        expect(bytes.toString(), `stopped after ${stopAfter}`).toBe(expected);
        if (mode === 'chunks') expect(decisions.at(-1)?.mode).toBe('chunks');
      }
    },
  );
});

/** What there is beside the key, which may be written in any of its ways. */
function besideKey(csv: string): string[] {
  return csv
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^(?:"(?:[^"]|"")*"|[^",]*),/, ''))
    .toSorted();
}

/** Of each kind one; all others in the long suite. */
const FAST = ['citext', 'numeric', 'interval', 'text COLLATE loose', 'integer'];

describe.each(Object.entries(GROUPING))('%s', (_name, sqlOf) => {
  // An index scan by the key, and no hash: what a large table is read by.
  beforeAll(async () => {
    const name = new URL(opened.url).pathname.slice(1);
    for (const setting of ['enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'enable_hashagg'])
      await world.change(`ALTER DATABASE "${name}" SET ${setting} = off`);
  });
  test.each(NAMED.filter(({ type }) => FAST.includes(type) !== isLong))(
    'no group of $type is doubled or torn, wherever the reading stops',
    async ({ table }) => {
      const report: SomeReport = { sql: sqlOf(table), key: ['k'] };
      const expected = await world.within((reading) => copied(reading, report.sql));
      for (const stopAfter of [Infinity, 1]) {
        const { bytes } = await fileOfReport(
          world,
          report,
          { format: 'csv', chunk: ROW_BY_ROW },
          stopAfter,
        );
        expect(besideKey(bytes.toString()), `stopped after ${stopAfter}`).toEqual(
          besideKey(`k\n${expected}`),
        );
      }
    },
  );
});

inFast.each<[string, SomeReport, number]>([
  [
    'a collation that the SQL names, and the table does not',
    { sql: 'SELECT k COLLATE loose AS k, n FROM keys_text', key: ['k'] },
    4,
  ],
  [
    'the second column of the key',
    { sql: 'SELECT 1 AS one, k::citext AS k, n FROM keys_text', key: ['one', 'k'] },
    4,
  ],
  [
    'a column that is not in the file',
    {
      sql: 'SELECT k::citext AS k, n FROM keys_text',
      key: ['k'],
      columns: [{ name: 'k', label: 'k', format: null, hidden: true }],
    },
    4,
  ],
  [
    'a column that the file has in another form',
    {
      sql: 'SELECT k::bpchar AS k, n FROM keys_blank',
      key: ['k'],
      columns: [{ name: 'k', label: 'k', format: { as: 'text' }, hidden: false }],
    },
    3,
  ],
])('no row is lost where the key is %s', async (_name, report, rows) => {
  await world.change(`
    CREATE TABLE IF NOT EXISTS keys_text AS SELECT * FROM (VALUES ('Key1', 1), ('KEY1', 2), ('key1', 3), ('b', 4)) AS v (k, n);
    CREATE TABLE IF NOT EXISTS keys_blank AS SELECT * FROM (VALUES ('a', 1), ('a ', 2), ('a  ', 3)) AS v (k, n)`);
  for (const format of ['csv', 'jsonl', 'parquet'] as const) {
    const { state } = await fileOfReport(world, report, { format, chunk: ROW_BY_ROW }, 1);
    expect(state.rows, format).toBe(rows);
  }
});

inFast('rows whose keys are written alike are refused as ever', async () => {
  await world.change(
    `CREATE TABLE keys_twice (k citext NOT NULL, n int); INSERT INTO keys_twice VALUES ('a', 1), ('A', 2), ('a', 3)`,
  );
  const report: SomeReport = { sql: 'SELECT k, n FROM keys_twice', key: ['k'] };
  await expect(
    fileOfReport(world, report, { format: 'csv', chunk: ROW_BY_ROW }, 1),
  ).rejects.toMatchObject({ code: 'key_not_unique' });
});
