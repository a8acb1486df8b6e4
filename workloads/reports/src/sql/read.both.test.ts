import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CopiedTableOptions, TABLE_FORMATS } from '@millrace/tables';
import {
  type SomeReport,
  type SqlWorld,
  WORLDS,
  fileOfReport,
  shapeIn,
} from '../../test/sql-world.ts';
import { copied } from '../../../../connectors/sql-source/test/sources.ts';
import { readReport } from './read.ts';
import { textsOf } from './texts.ts';

const FORMATS: Pick<CopiedTableOptions, 'format' | 'compression'>[] = [
  ...TABLE_FORMATS.map((format) => ({ format })),
  { format: 'csv', compression: 'gzip' },
];

const TABLES = `
CREATE TABLE sheet (
  county int NOT NULL, work_date date NOT NULL, id bigint NOT NULL, note text, hours numeric(5,2), at timestamptz,
  PRIMARY KEY (county, work_date, id));
INSERT INTO sheet SELECT i % 7, date '2026-01-01' + (i * 31 % 50), i, CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN 'a "quoted",' || chr(10) || 'note ' || i ELSE repeat('x', i % 40) END,
       i % 900 / 100.0, timestamptz '2026-01-01 00:00:00.123456Z' + i * interval '1.000001 second'
  FROM generate_series(1, 1000) i;
CREATE TABLE person (id int PRIMARY KEY, county int NOT NULL, name text NOT NULL);
INSERT INTO person SELECT i, i % 7, 'Name ' || i FROM generate_series(1, 300) i;
CREATE TABLE loose (id int, other int);
INSERT INTO loose SELECT i, i FROM generate_series(1, 90) i;
CREATE TABLE twice (id int NOT NULL, note text);
CREATE INDEX ON twice (id);
INSERT INTO twice SELECT i, 'note ' || i FROM generate_series(1, 2000) i UNION ALL SELECT 5, 'five again' ORDER BY 1;
ANALYZE sheet; ANALYZE person; ANALYZE loose; ANALYZE twice`;

const DETAIL: SomeReport = {
  sql: 'SELECT county, work_date, id, note, hours, at FROM sheet',
  key: ['county', 'work_date', 'id'],
};
const HIDDEN: SomeReport = {
  sql: 'SELECT county AS c, work_date AS d, id, note, hours FROM sheet -- by day',
  key: ['c', 'd', 'id'],
  columns: [
    { name: 'c', label: 'County', format: null, hidden: true },
    { name: 'd', label: 'Day', format: { as: 'date and time' }, hidden: false },
  ],
};
/** Selected as something else than what the rows are ordered by, under the name of the key or under that of a function. */
const FORMATTED: SomeReport = {
  sql: "SELECT id, county AS round, at AT TIME ZONE 'UTC' AS moment, hours FROM sheet",
  key: ['id', 'round', 'moment'],
  columns: [
    { name: 'id', label: 'Id', format: { as: 'text' }, hidden: false },
    { name: 'moment', label: 'Day', format: { as: 'date' }, hidden: false },
    { name: 'hours', label: 'Hours', format: { as: 'decimal', places: 1 }, hidden: false },
  ],
};
const GROUPED: SomeReport = {
  sql: 'SELECT work_date, county, count(*) AS sheets, sum(hours) AS hours FROM sheet GROUP BY work_date, county',
  key: ['work_date', 'county'],
};

describe.each(WORLDS)('%s', (_, open) => {
  let world: SqlWorld;
  beforeAll(async () => {
    world = await open();
    await world.change(TABLES);
  });
  afterAll(() => world.close());

  describe.each(FORMATS)('$format $compression', (output) => {
    test.each<[string, SomeReport, { bytes: number; rows: number }]>([
      ['in chunks', DETAIL, { bytes: 8_000, rows: 50 }],
      ['with hidden keys', HIDDEN, { bytes: 8_000, rows: 50 }],
      ['with formatted keys', FORMATTED, { bytes: 8_000, rows: 50 }],
      ['as a stream', GROUPED, { bytes: 1_200, rows: 20 }],
    ])(
      '%s, stopped after every batch and carried on, it has the same bytes',
      async (_name, report, chunk) => {
        const options = { ...output, chunk };
        const whole = await fileOfReport(world, report, options);
        expect(whole.batches.length).toBeGreaterThan(4);
        for (const stopAfter of [1, 3]) {
          const carried = await fileOfReport(world, report, options, stopAfter);
          expect(carried.bytes.equals(whole.bytes)).toBe(true);
          expect(carried.state).toEqual(whole.state);
          expect(carried.batches.map(({ position }) => position)).toEqual(
            whole.batches.map(({ position }) => position),
          );
        }
      },
    );
  });

  test('an index on the key is used by chunks; what groups is a stream', async () => {
    const detail = await fileOfReport(world, DETAIL, { format: 'csv' });
    expect(detail.decisions).toEqual([{ mode: 'chunks', why: expect.any(String) }]);
    expect(detail.batches.every(({ position }) => position.mode === 'chunks')).toBe(true);
    const grouped = await fileOfReport(world, GROUPED, { format: 'csv' });
    expect(grouped.decisions.map(({ mode }) => mode)).toEqual(['stream']);
  });

  test('the rows are those of the SQL in the order of the key', async () => {
    const { bytes, state, texts } = await fileOfReport(world, DETAIL, { format: 'csv' });
    const rows = await world.within((reading) =>
      reading.rows(`SELECT string_agg(id::text, ',' ORDER BY county, work_date, id) FROM sheet`),
    );
    expect(state.rows).toBe(1000);
    const ids = [...bytes.toString().matchAll(/^\d+,[\d-]+,(\d+),/gm)].map(([, id]) => id);
    expect(ids.join(',')).toBe(rows[0]?.[0]);
    expect(texts.nullKeys).toBeNull();
    const [[count] = []] = await world.within((reading) => reading.rows(texts.count));
    expect(count).toBe('1000');
  });

  test.each([0, 1, 19, 20, 21, 40, 41])('of %i rows, each comes once', async (count) => {
    const sql = `SELECT id, name FROM person WHERE id <= (current_setting('rp.most')::int)`;
    const report = { sql, key: ['id'] };
    const options = { format: 'csv', values: { most: String(count) } } as const;
    const { bytes, state, batches } = await fileOfReport(world, report, options);
    expect(state.rows).toBe(count);
    expect(bytes.toString().trimEnd().split('\n')).toHaveLength(count + 1);
    expect(batches.reduce((sum, { rows }) => sum + rows, 0)).toBe(count);
    expect(batches.every(({ rows }) => rows > 0)).toBe(true);
  });

  test('wide rows are cut for their bytes in the middle of a chunk', async () => {
    const report = { sql: `SELECT id, repeat('x', 500) AS wide FROM person`, key: ['id'] };
    const options = {
      format: 'csv',
      compression: 'gzip',
      chunk: { bytes: 2_000, rows: 50 },
    } as const;
    const whole = await fileOfReport(world, report, options);
    expect(whole.batches.some(({ position }) => position.left > 0)).toBe(true);
    expect(Math.max(...whole.batches.map(({ bytes }) => bytes.length))).toBeLessThan(10_000);
    expect(whole.state.rows).toBe(300);
    const carried = await fileOfReport(world, report, options, 1);
    expect(carried.bytes.equals(whole.bytes)).toBe(true);
  });

  test('a NULL in a key is refused before the first row', async () => {
    await world.change('INSERT INTO loose VALUES (NULL, 5)');
    const report = { sql: 'SELECT id, other FROM loose', key: ['id'] };
    await expect(fileOfReport(world, report, { format: 'csv' })).rejects.toMatchObject({
      code: 'null_in_key',
    });
    await world.change('DELETE FROM loose WHERE id IS NULL');
    expect((await fileOfReport(world, report, { format: 'csv' })).state.rows).toBe(90);
  });

  test('a NULL that an outer join makes is refused', async () => {
    const sql =
      'SELECT p.id AS person, l.other AS other FROM person p LEFT JOIN loose l ON l.id = p.id';
    await expect(
      fileOfReport(world, { sql, key: ['person', 'other'] }, { format: 'csv' }),
    ).rejects.toMatchObject({ code: 'null_in_key' });
    expect(
      (await fileOfReport(world, { sql, key: ['person'] }, { format: 'csv' })).state.rows,
    ).toBe(300);
  });

  const TWICE = { sql: 'SELECT id, note FROM twice', key: ['id'] };
  test.each([
    ['at the end of a chunk', TWICE, { bytes: 9_000, rows: 5 }],
    // Cut at 44 bytes: after one of the fives.
    ['within a chunk', TWICE, { bytes: 11, rows: 20 }],
    [
      'in a stream',
      { sql: 'SELECT county, name FROM person', key: ['county'] },
      { bytes: 20, rows: 5 },
    ],
  ])(
    'a key of several rows is refused %s, before one could be lost',
    async (_name, report, chunk) => {
      await expect(fileOfReport(world, report, { format: 'csv', chunk }, 1)).rejects.toMatchObject({
        code: 'key_not_unique',
      });
    },
  );

  test('rows after the time of the report are left out; those without a time stay', async () => {
    const sql = `SELECT id, CASE WHEN id = 3 THEN NULL ELSE timestamptz '2026-01-01Z' + id * interval '1 day' END AS changed FROM person`;
    const report = { sql, key: ['id'], asOf: 'changed' };
    const values = { _as_of: '2026-01-06 00:00:00+00' };
    const { state } = await fileOfReport(world, report, { format: 'jsonl', values });
    expect(state.rows).toBe(5);
  });

  test('only text is guarded against formulas: what has a form of its own is as COPY writes it', async () => {
    const columns = `-id * interval '1 day' AS span, (-id)::money AS price, '-Infinity'::float8 / id AS ratio, '-Infinity'::numeric AS total,
      '-infinity'::date AS day, '-infinity'::timestamptz AS at, -id::real * 1e20 AS wide, to_jsonb(-id * 1e30) AS json, ARRAY[-id] AS list,
      -id * interval '1 second' AS shown`;
    const sql = (note: string) => `SELECT id, ${columns}, ${note} AS note FROM person WHERE id < 4`;
    const report: SomeReport = {
      sql: sql(`'-cmd' || id`),
      key: ['id'],
      columns: [{ name: 'shown', label: 'shown', format: { as: 'text' }, hidden: false }],
    };
    const { bytes } = await fileOfReport(world, report, { format: 'csv' });
    const expected = await world.within((reading) =>
      copied(reading, `${sql(`'''-cmd' || id`)} ORDER BY id`),
    );
    expect(bytes.toString()).toBe(
      `id,span,price,ratio,total,day,at,wide,json,list,shown,note\n${expected}`,
    );
    expect(expected).toContain('-1 days');
  });

  test('jsonb is part of the line in JSON Lines, and text of a format is text', async () => {
    const sql = `SELECT id, jsonb_build_object('a', id, 'b', '"x"') AS json, json '[1,\n2]' AS list, jsonb '{"a": 1}' AS shown FROM person WHERE id < 3`;
    const columns = [
      { name: 'shown', label: null, format: { as: 'text' }, hidden: false },
    ] as const;
    const { bytes } = await fileOfReport(world, { sql, key: ['id'], columns }, { format: 'jsonl' });
    expect(
      bytes
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(
      [1, 2].map((id) => ({ id, json: { a: id, b: '"x"' }, list: [1, 2], shown: '{"a": 1}' })),
    );
  });

  test('in Parquet a date is a day, and a moment has its zone', async () => {
    const report: SomeReport = {
      sql: 'SELECT id, work_date, at, at::timestamp AS local FROM sheet',
      key: ['id'],
      columns: [{ name: 'id', label: null, format: null, hidden: false }],
    };
    const { columns } = await fileOfReport(world, report, { format: 'parquet' });
    expect(columns.map(({ moment }) => moment)).toEqual([undefined, 'day', 'instant', undefined]);
    const csv = await fileOfReport(world, report, { format: 'csv' });
    expect(csv.columns.some(({ moment }) => moment !== undefined)).toBe(false);
  });

  test('in Parquet a sum and an average are numbers', async () => {
    const report: SomeReport = {
      sql: 'SELECT county, sum(hours::numeric(6,2)) AS sum, avg(hours) AS avg, 0.5::numeric(6,2) AS sized FROM sheet GROUP BY county',
      key: ['county'],
    };
    const typesIn = async (format: 'parquet' | 'csv') =>
      (await fileOfReport(world, report, { format })).columns.map(({ type }) => type);
    expect(await typesIn('parquet')).toEqual(['number', 'double', 'double', 'decimal']);
    expect(await typesIn('csv')).toEqual(['number', 'decimal', 'decimal', 'decimal']);
  });

  test('a number that Parquet rounds is counted, and one that it cannot hold is named', async () => {
    const fileWith = (value: string) =>
      fileOfReport(
        world,
        { sql: `SELECT id, ${value} AS n FROM sheet WHERE id < 4`, key: ['id'] },
        { format: 'parquet' },
      );
    const { state } = await fileWith(`(12345678901234567890 + id)::numeric`);
    expect(state.notes.rounded).toBe(state.rows);
    await expect(fileWith('10::numeric ^ 400')).rejects.toThrow('in the column "n"');
  });

  test('row rules hold', async () => {
    const where = `"county" = ANY (current_setting('rp._rows_0')::int4[])`;
    const values = { _rows_0: '{3,5}' };
    const report = { ...DETAIL, where };
    const { bytes } = await fileOfReport(world, report, { format: 'csv', values });
    const counties = new Set(bytes.toString().match(/^\d+(?=,\d{4}-)/gm));
    expect([...counties]).toEqual(['3', '5']);
  });

  test('whoever stops in the middle leaves nothing behind, and the source answers again', async () => {
    await world.within(async (reading) => {
      const texts = textsOf(await shapeIn(reading, GROUPED), 'csv');
      for await (const batch of readReport({
        reading,
        texts,
        chunk: { bytes: 100, rows: 2 },
        from: null,
      })) {
        expect(batch.rows).toBeGreaterThan(0);
        break;
      }
    });
    const [row] = await world.within((reading) => reading.rows('SELECT 1'));
    expect(row).toEqual(['1']);
  });

  test('a newer snapshot is taken between two statements, and said', async () => {
    const first = await world.source.begin({ statementTimeoutMs: 10_000 });
    const texts = textsOf(await shapeIn(first, DETAIL), 'csv');
    let current = first;
    let turns = 0;
    const renew = async () => {
      turns += 1;
      if (turns !== 3) return null;
      await current.end();
      current = await world.source.begin({ statementTimeoutMs: 10_000 });
      return current;
    };
    const news: boolean[] = [];
    const chunk = { bytes: 2_000, rows: 20 };
    let rows = 0;
    for await (const batch of readReport({ reading: first, texts, chunk, from: null, renew })) {
      news.push(batch.isNewSnapshot);
      rows += batch.rows;
    }
    await current.end();
    expect(rows).toBe(1000);
    // The first statement has one chunk, the second eight.
    expect(news.indexOf(true)).toBe(9);
    expect(news.filter(Boolean)).toHaveLength(1);
  });
});
