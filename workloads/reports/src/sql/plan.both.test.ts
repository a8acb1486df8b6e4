import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SomeReport, type SqlWorld, WORLDS, shapeIn } from '../../test/sql-world.ts';
import {
  type PlanDecision,
  type ReadMode,
  decideAfter,
  decideBefore,
  splitsGroups,
} from './plan.ts';
import { CHUNK_ROWS, PROBE_VALUE, keyValues, textsOf } from './texts.ts';

const TABLES = `
CREATE TABLE sheet (id bigint PRIMARY KEY, county int NOT NULL, person int NOT NULL, work_date date NOT NULL, hours numeric(5,2), code text COLLATE "C" NOT NULL);
INSERT INTO sheet SELECT i, i * 7919 % 58, i * 31 % 500, date '2026-01-01' + i % 300, i % 900 / 100.0, md5(i::text) FROM generate_series(1, 40000) i;
CREATE UNIQUE INDEX ON sheet (county, work_date, id);
CREATE UNIQUE INDEX ON sheet (code, id);
CREATE INDEX ON sheet (person);
CREATE TABLE person (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO person SELECT i, 'Name ' || i FROM generate_series(0, 499) i;
CREATE TABLE visitor (id int PRIMARY KEY, sheet_id bigint NOT NULL);
INSERT INTO visitor SELECT i, i FROM generate_series(1, 40000) i;
CREATE TABLE county (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO county SELECT i, 'County ' || i FROM generate_series(0, 57) i;
CREATE TABLE part (id int NOT NULL, v text) PARTITION BY RANGE (id);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (20000);
CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (20000) TO (50000);
INSERT INTO part SELECT i, 'v' || i FROM generate_series(1, 40000) i;
CREATE UNIQUE INDEX ON part (id);
CREATE TABLE archive (id bigint PRIMARY KEY, county int NOT NULL);
INSERT INTO archive SELECT i, 1 FROM generate_series(100001, 120000) i;
ANALYZE sheet; ANALYZE person; ANALYZE visitor; ANALYZE county; ANALYZE part; ANALYZE archive`;

interface Case extends SomeReport {
  readonly after: readonly string[];
  readonly mode: ReadMode;
  readonly values?: Readonly<Record<string, string>>;
}

/** The modes that the real planners lead to, with the reason where one would expect the other. */
const CASES: Readonly<Record<string, Case>> = {
  'the primary key': { sql: 'SELECT * FROM sheet', key: ['id'], after: ['20000'], mode: 'chunks' },
  'an index on all parts of the key': {
    sql: 'SELECT county, work_date, id, hours FROM sheet',
    key: ['county', 'work_date', 'id'],
    after: ['20', '2026-03-01', '77'],
    mode: 'chunks',
  },
  'an index on text in the order of its column': {
    sql: 'SELECT code, id FROM sheet',
    key: ['code', 'id'],
    after: ['7f', '1'],
    mode: 'chunks',
  },
  'text in another order than its index has': {
    sql: 'SELECT code COLLATE "POSIX" || \'\' AS code, id FROM sheet',
    key: ['code', 'id'],
    after: ['7f', '1'],
    mode: 'stream',
  },
  'no index on the key': {
    sql: 'SELECT hours, id FROM sheet WHERE hours IS NOT NULL',
    key: ['hours', 'id'],
    after: ['2.50', '1'],
    mode: 'stream',
  },
  'an index on a part of the key alone': {
    sql: 'SELECT person, id FROM sheet',
    key: ['person', 'id'],
    after: ['200', '5'],
    mode: 'stream',
  },
  'an expression as the key': {
    sql: 'SELECT id + 0 AS id, hours FROM sheet',
    key: ['id'],
    after: ['20000'],
    mode: 'stream',
  },
  'a filter beside the key': {
    sql: 'SELECT id, hours FROM sheet WHERE county = 5',
    key: ['id'],
    after: ['20000'],
    mode: 'stream',
  },
  'a filter that most rows pass': {
    sql: 'SELECT id, hours FROM sheet WHERE hours > 0.5',
    key: ['id'],
    after: ['20000'],
    mode: 'chunks',
  },
  'GROUP BY something else': {
    sql: 'SELECT person, sum(hours) AS hours FROM sheet GROUP BY person',
    key: ['person'],
    after: ['100'],
    mode: 'stream',
  },
  'a window over all rows': {
    sql: 'SELECT id, row_number() OVER (ORDER BY id) AS number FROM sheet',
    key: ['id'],
    after: ['20000'],
    mode: 'stream',
  },
  'DISTINCT, which an index serves row by row': {
    sql: 'SELECT DISTINCT county, work_date FROM sheet',
    key: ['county', 'work_date'],
    after: ['20', '2026-03-01'],
    mode: 'chunks',
  },
  'DISTINCT without an index': {
    sql: 'SELECT DISTINCT person, work_date FROM sheet',
    key: ['person', 'work_date'],
    after: ['20', '2026-03-01'],
    mode: 'stream',
  },
  UNION: {
    sql: 'SELECT id, county FROM sheet UNION SELECT id, county FROM archive',
    key: ['id'],
    after: ['20000'],
    mode: 'stream',
  },
  'UNION ALL of two indexes': {
    sql: 'SELECT id, county FROM sheet UNION ALL SELECT id, county FROM archive',
    key: ['id'],
    after: ['20000'],
    mode: 'chunks',
  },
  // Postgres plans a SELECT with a WITH by itself, and does not tell it which order is wanted.
  'a CTE that is read once': {
    sql: 'WITH s AS (SELECT id, county FROM sheet) SELECT * FROM s',
    key: ['id'],
    after: ['20000'],
    mode: 'stream',
  },
  'a CTE that is kept': {
    sql: 'WITH s AS MATERIALIZED (SELECT id, county FROM sheet) SELECT * FROM s',
    key: ['id'],
    after: ['20000'],
    mode: 'stream',
  },
  'ORDER BY and LIMIT of its own': {
    sql: 'SELECT id, county FROM sheet ORDER BY hours LIMIT 30000',
    key: ['id'],
    after: ['20000'],
    mode: 'stream',
  },
  'a small table joined to it': {
    sql: 'SELECT s.id, p.name FROM sheet s JOIN person p ON p.id = s.person',
    key: ['id'],
    after: ['20000'],
    mode: 'chunks',
  },
  'a join that is ordered by the other table': {
    sql: 'SELECT p.name, s.id FROM sheet s JOIN person p ON p.id = s.person',
    key: ['name', 'id'],
    after: ['Name 250', '20000'],
    mode: 'stream',
  },
  'a subquery for each row': {
    sql: 'SELECT id, (SELECT name FROM person p WHERE p.id = s.person) AS name FROM sheet s',
    key: ['id'],
    after: ['20000'],
    mode: 'chunks',
  },
  'partitions with the key in order': {
    sql: 'SELECT id, v FROM part',
    key: ['id'],
    after: ['10000'],
    mode: 'chunks',
  },
  'a tiny table, which nobody needs an index for': {
    sql: 'SELECT id, name FROM county',
    key: ['id'],
    after: ['20'],
    mode: 'stream',
  },
};

describe.each(WORLDS)('%s', (_, open) => {
  let world: SqlWorld;
  beforeAll(async () => {
    world = await open();
    await world.change(TABLES);
  });
  afterAll(() => world.close());

  async function decisions(given: Case): Promise<{ before: PlanDecision; after: PlanDecision }> {
    return world.within(async (reading) => {
      const texts = textsOf(await shapeIn(reading, given), 'csv');
      await reading.set({ ...given.values, ...keyValues(given.after), [CHUNK_ROWS]: '1000' });
      const before = decideBefore(await reading.explain(texts.firstChunk));
      return { before, after: decideAfter(await reading.explain(texts.nextChunk)) };
    });
  }

  test.each(Object.entries(CASES))('%s', async (_name, given) => {
    const { before, after } = await decisions(given);
    // Either says stream, and it is one.
    const mode = before.mode === 'stream' ? before : after;
    expect(mode).toEqual({ mode: given.mode, why: expect.any(String) });
  });

  test.each([
    ['groups by the key', 'SELECT abs(hours) AS hours, count(*) FROM sheet GROUP BY 1', true],
    ['makes the key distinct', 'SELECT DISTINCT abs(hours) AS hours FROM sheet', true],
    [
      'keeps the window of a part',
      'SELECT hours + 0 AS hours, rank() OVER (PARTITION BY hours + 0 ORDER BY id) FROM sheet',
      true,
    ],
    ['has the key of a UNION', 'SELECT hours FROM sheet UNION SELECT hours + 1 FROM sheet', true],
    [
      'groups by a column whose equal values are alike',
      'SELECT hours, count(*) FROM sheet GROUP BY hours',
      false,
    ],
    [
      'joins what is grouped',
      'SELECT s.hours + 0 AS hours, g.n FROM sheet s JOIN (SELECT person, count(*) AS n FROM sheet GROUP BY person) g ON g.person = s.person',
      false,
    ],
    [
      'counts for each row',
      'SELECT hours + 0 AS hours, (SELECT count(*) FROM visitor v WHERE v.sheet_id = s.id) FROM sheet s',
      false,
    ],
    [
      'limits what is grouped',
      'SELECT hours + 0 AS hours FROM (SELECT hours FROM sheet GROUP BY hours LIMIT 9) s',
      false,
    ],
  ])('a part of a group could be left behind where the SQL %s', async (_name, sql, splits) => {
    const plan = await world.within(async (reading) => {
      const { groups } = textsOf(await shapeIn(reading, { sql, key: ['hours'] }), 'csv');
      await reading.set(PROBE_VALUE);
      return groups === null ? null : reading.explain(groups);
    });
    expect(plan !== null && splitsGroups(plan)).toBe(splits);
  });

  test('the estimate is that of the planner', async () => {
    const rows = await world.within(async (reading) => {
      const texts = textsOf(
        await shapeIn(reading, { sql: 'SELECT * FROM sheet', key: ['id'] }),
        'csv',
      );
      return (await reading.explain(texts.estimate))['Plan Rows'];
    });
    expect(rows).toBe(40_000);
  });
});

test('a chunk that hashes a large table first is a stream', () => {
  const scan = {
    'Node Type': 'Index Scan',
    'Plan Rows': 1000,
    'Index Cond': "(id > (current_setting('rp._key_0'::text))::bigint)",
  };
  const join = (startup: number) => ({
    'Node Type': 'Limit',
    'Plan Rows': 1000,
    'Startup Cost': startup,
    'Total Cost': 10_000,
    Plans: [{ 'Node Type': 'Hash Join', 'Plan Rows': 1000, Plans: [scan] }],
  });
  expect(decideAfter(join(500)).mode).toBe('chunks');
  expect(decideAfter(join(5_000))).toEqual({
    mode: 'stream',
    why: '50 % of the cost come before the first row',
  });
});
