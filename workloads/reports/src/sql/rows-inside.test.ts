import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bareDatabase } from '../../../../stores/postgres/test/databases.ts';
import { rowsInside, tablesIn } from './rows-inside.ts';

/*
 * What someone of county 1 gets is what they would get if the database had no other county: `everything` has all rows, `own` those of
 * county 1 only, and the SQL without rules reads there.
 */
let client: pg.Client;
let drop: () => Promise<void>;

const TABLES = `
  CREATE TABLE counties (id int PRIMARY KEY, name text NOT NULL);
  CREATE TABLE people (id int PRIMARY KEY, county int NOT NULL, name text NOT NULL);
  CREATE TABLE shifts (id int PRIMARY KEY, county int NOT NULL, person int NOT NULL, day date NOT NULL, hours numeric(6,2) NOT NULL);
  CREATE TABLE visits (id int PRIMARY KEY, county int NOT NULL, person int NOT NULL, "group" text NOT NULL);`;
const ROWS = `
  INSERT INTO counties SELECT i, 'County ' || i FROM generate_series(1, 4) i;
  INSERT INTO people SELECT i, 1 + i % 4, 'Person ' || i FROM generate_series(1, 40) i;
  INSERT INTO shifts SELECT i, 1 + i % 4, 1 + (i * 7) % 40, date '2026-01-01' + i % 9, 1 + (i * 13) % 11 FROM generate_series(1, 200) i;
  UPDATE shifts s SET county = p.county, hours = hours + p.county FROM people p WHERE p.id = s.person;
  INSERT INTO visits SELECT i, 1 + i % 4, 1 + i % 20, 'g' || i % 3 FROM generate_series(1, 90) i;
  UPDATE visits v SET county = p.county FROM people p WHERE p.id = v.person`;
const HIDE = 'shifts people visits'
  .split(' ')
  .map((table) => `DELETE FROM ${table} WHERE county <> 1`)
  .join(';');

beforeAll(async () => {
  const database = await bareDatabase();
  ({ drop } = database);
  client = new pg.Client(database.url);
  await client.connect();
  for (const [schema, then] of [
    ['everything', ''],
    ['own', HIDE],
  ])
    await client.query(
      `CREATE SCHEMA ${schema}; SET search_path = ${schema}; ${TABLES} ${ROWS}; ${then}`,
    );
});
afterAll(async () => {
  await client.end();
  await drop();
});

const RULES = [{ column: 'county', condition: (of: string) => `((${of})::int) = 1` }];

function placed(sql: string): string {
  const inside = rowsInside(sql, RULES);
  if ('problem' in inside) throw new Error(inside.problem.message);
  return inside.sql;
}

async function rowsOf(schema: string, sql: string): Promise<string[]> {
  const { rows } = await client
    .query(
      `SET LOCAL search_path = ${schema}; SELECT r::text FROM (\n${sql}\n) AS r WHERE county = 1`,
    )
    .then((answers) => (answers as unknown as pg.QueryResult<{ r: string }>[])[1] ?? { rows: [] });
  return rows.map(({ r }) => r).toSorted();
}

/** Whatever the SQL is, the rule around it would show what other counties have. */
const LEAKING = [
  ['a window', 'SELECT county, id, hours, sum(hours) OVER () FROM shifts'],
  [
    'a window with a WHERE',
    "SELECT county, id, sum(hours) OVER () FROM shifts WHERE day > '2026-01-02' OR id < 9 -- and on",
  ],
  [
    'a named window',
    'SELECT county, id, rank() OVER w FROM shifts WINDOW w AS (ORDER BY hours, id)',
  ],
  [
    'a window behind joins',
    'SELECT s.county, s.id, c.name, count(*) OVER () AS n FROM shifts s LEFT JOIN counties c ON c.id = s.county',
  ],
  [
    'a column of an outer join',
    'SELECT p.county, s.id, sum(s.hours) OVER () FROM shifts s LEFT JOIN (SELECT * FROM people WHERE id > 0) p ON p.id = s.person',
  ],
  [
    'a window around a subquery',
    'SELECT x.county, x.id, x.hours / sum(x.hours) OVER () AS share FROM (SELECT * FROM shifts) x',
  ],
  [
    'a window inside a subquery',
    'SELECT x.* FROM (SELECT county, id, row_number() OVER (ORDER BY hours, id) AS n FROM shifts) x WHERE n < 100',
  ],
  [
    'a window inside an expression',
    'SELECT county, id, CASE WHEN hours > avg(hours) OVER () THEN 1 ELSE 0 END AS above FROM shifts',
  ],
  [
    'a CTE with a window',
    'WITH ranked AS (SELECT county, id, ntile(4) OVER (ORDER BY hours, id) AS n FROM shifts) SELECT county, id, n FROM ranked',
  ],
  [
    'a CTE with other names',
    'WITH ranked (c, i, n) AS (SELECT county, id, ntile(4) OVER (ORDER BY hours, id) FROM shifts) SELECT c AS county, i, n FROM ranked',
  ],
  [
    'an alias with other names',
    'SELECT a AS county, b, c FROM (SELECT county, id, ntile(4) OVER (ORDER BY hours, id) FROM shifts) x (a, b, c)',
  ],
  [
    'a total of the same CTE',
    'WITH base AS (SELECT county, id, hours FROM shifts) SELECT b.county, b.id, b.hours, (SELECT sum(hours) FROM base) AS total FROM base b',
  ],
  [
    'a total in a CTE of its own',
    'WITH base AS (SELECT * FROM shifts), totals AS (SELECT sum(hours) AS total FROM base) SELECT b.county, b.id, t.total FROM base b, totals t',
  ],
  [
    'a total of totals',
    'WITH base AS (SELECT * FROM shifts), days AS (SELECT day, sum(hours) AS h FROM base GROUP BY day), top AS (SELECT max(h) AS most FROM days) SELECT b.county, b.id, top.most FROM base b CROSS JOIN top',
  ],
  [
    'the greatest of groups',
    'WITH per AS (SELECT county, person, sum(hours) AS h FROM shifts GROUP BY county, person) SELECT county, person, h, (SELECT max(h) FROM per) AS most FROM per',
  ],
  ['LIMIT', 'SELECT county, id, hours FROM shifts ORDER BY hours DESC, id LIMIT 30'],
  ['OFFSET', 'SELECT county, id, hours FROM shifts ORDER BY hours DESC, id OFFSET 20'],
  [
    'FETCH',
    'SELECT county, id, hours FROM shifts ORDER BY hours DESC, id FETCH FIRST 30 ROWS ONLY',
  ],
  [
    'LIMIT in a subquery',
    'SELECT x.county, x.id FROM (SELECT * FROM shifts ORDER BY hours DESC, id LIMIT 30) x JOIN people p ON p.id = x.person',
  ],
  [
    'LIMIT of a UNION',
    'SELECT county, id FROM shifts UNION ALL SELECT v.county, v.id + 1000 FROM visits v ORDER BY id DESC LIMIT 20',
  ],
  [
    'LIMIT in brackets',
    '(SELECT county, id FROM shifts ORDER BY id LIMIT 9) UNION ALL (SELECT county, id FROM visits ORDER BY id DESC LIMIT 9)',
  ],
  [
    'DISTINCT ON',
    'SELECT DISTINCT ON (day) county, day, id FROM shifts ORDER BY day, hours DESC, id',
  ],
  [
    'a window over a UNION',
    'SELECT u.county, u.id, count(*) OVER () FROM (SELECT county, id FROM shifts UNION SELECT county, id FROM visits) u',
  ],
  [
    'a window over EXCEPT',
    'SELECT u.county, u.person, count(*) OVER () FROM (SELECT county, person FROM shifts EXCEPT SELECT county, person FROM visits) u',
  ],
  [
    'totals of ROLLUP',
    'SELECT county, day, sum(sum(hours)) OVER (PARTITION BY day) FROM shifts GROUP BY ROLLUP (county), day',
  ],
  [
    'a group without the column alone',
    'SELECT min(person) AS person, p.county, sum(hours) OVER () FROM shifts s JOIN people p ON p.id = s.person GROUP BY p.county, hours',
  ],
  [
    'a row with the total of the others',
    'WITH base AS (SELECT county, id, hours FROM shifts) SELECT county, id, hours FROM base UNION ALL SELECT 1, 0, sum(hours) FROM base',
  ],
  [
    'names of keywords',
    'SELECT v.county, v.id, v."group" AS "select", count(*) OVER () AS "from" FROM visits AS v WHERE v.group IS DISTINCT FROM \'g1\'',
  ],
  ['a cast that keeps the name', 'SELECT county::bigint, id, sum(hours) OVER () FROM shifts'],
  [
    'an alias without AS',
    'SELECT coalesce(s.county, 0) county, s.id, sum(hours) OVER () FROM shifts s',
  ],
  [
    'brackets of joins',
    'SELECT s.county, s.id, sum(hours) OVER () FROM (shifts s JOIN people p ON p.id = s.person) JOIN counties c ON c.id = s.county',
  ],
  [
    'functions called left and substring',
    "SELECT s.county, s.id, count(*) OVER () FROM shifts s JOIN counties c ON left(c.name, 1) = substring('C' from 1) AND c.id = s.county",
  ],
] as const;

/** The rule around it, or a text that is left alone, gives the same. */
const SAFE = [
  ['nothing computed', 'SELECT county, id FROM shifts'],
  [
    'GROUP BY with the column',
    'SELECT county, day, sum(hours) AS h FROM shifts GROUP BY county, day HAVING sum(hours) > 5',
  ],
  [
    'a window by the column',
    'SELECT county, id, sum(hours) OVER (PARTITION BY county) FROM shifts',
  ],
  [
    'the primary key of a group',
    'SELECT p.id, p.county, p.name, count(*) FROM people p JOIN shifts s ON s.person = p.id GROUP BY p.id',
  ],
  [
    'groups that are joined by the column',
    'SELECT c.id AS county, coalesce(t.h, 0) AS h FROM counties c LEFT JOIN (SELECT county, sum(hours) AS h FROM shifts GROUP BY county) t ON t.county = c.id',
  ],
  [
    'groups of a CTE, with USING',
    'WITH t AS (SELECT county, sum(hours) AS h FROM shifts GROUP BY county) SELECT county, p.id, t.h FROM people p JOIN t USING (county)',
  ],
  [
    'a RIGHT JOIN',
    'SELECT c.id AS county, t.h FROM (SELECT county, sum(hours) AS h FROM shifts GROUP BY county) t RIGHT JOIN counties c ON c.id = t.county',
  ],
  [
    'a subquery about the row',
    'SELECT c.id AS county, (SELECT count(*) FROM shifts s WHERE s.county = c.id) AS n FROM counties c',
  ],
  [
    'LATERAL about the row',
    'SELECT c.id AS county, x.n FROM counties c CROSS JOIN LATERAL (SELECT count(*) AS n FROM shifts s WHERE s.county = c.id AND s.hours > 2) x',
  ],
  [
    'an array of the row',
    'SELECT c.id AS county, ARRAY (SELECT s.id FROM shifts s WHERE s.county = c.id ORDER BY 1) AS ids FROM counties c',
  ],
  [
    'the latest of each row',
    'SELECT p.county, p.id, x.day FROM people p LEFT JOIN LATERAL (SELECT day FROM shifts s WHERE s.person = p.id ORDER BY day DESC LIMIT 1) x ON true',
  ],
  [
    'an EXISTS',
    'SELECT county, id FROM people p WHERE EXISTS (SELECT 1 FROM shifts s WHERE s.person = p.id)',
  ],
  [
    'a comparison by = ANY and <> ALL',
    'SELECT county, id FROM people WHERE id = ANY (SELECT person FROM shifts) AND id <> ALL (SELECT person FROM visits WHERE "group" = \'g1\')',
  ],
  [
    'DISTINCT and UNION',
    'SELECT DISTINCT county, day FROM shifts UNION SELECT county, NULL FROM visits',
  ],
  [
    'a recursive CTE',
    'WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT s.county, s.id, n.i, count(*) OVER (PARTITION BY s.county) FROM shifts s, n',
  ],
] as const;

describe('as if the other rows were not there', () => {
  test.each(LEAKING)('%s', async (_, sql) => {
    const own = await rowsOf('own', sql);
    expect(own.length).toBeGreaterThan(0);
    expect(await rowsOf('everything', placed(sql))).toEqual(own);
    expect(await rowsOf('everything', sql)).not.toEqual(own);
  });

  test.each(SAFE)('%s, which shows nothing of others as it is', async (_, sql) => {
    const own = await rowsOf('own', sql);
    expect(own.length).toBeGreaterThan(0);
    expect(await rowsOf('everything', placed(sql))).toEqual(own);
  });

  test('of several rules each', async () => {
    const rules = [
      ...RULES,
      { column: 'day', condition: (of: string) => `(${of}) > '2026-01-04'` },
    ];
    const inside = rowsInside('SELECT county, day, id, count(*) OVER () FROM shifts', rules);
    expect(inside).toEqual({
      sql: `SELECT county, day, id, count(*) OVER () FROM shifts WHERE (((county)::int) = 1) AND ((day) > '2026-01-04')`,
    });
  });

  test('SQL that computes nothing stays as it is', () => {
    const sql = 'SELECT county, id FROM shifts ORDER BY county';
    expect(rowsInside(sql, RULES)).toEqual({ sql });
  });
});

describe('refused, at its place', () => {
  test.each([
    [
      'SELECT county, id, (SELECT sum(hours) FROM shifts) AS total FROM shifts',
      'sum(',
      'sum() gives here would be of all rows',
    ],
    [
      'SELECT s.county, t.total FROM shifts s CROSS JOIN (SELECT sum(hours) AS total FROM shifts) t',
      'sum(',
      'of all rows',
    ],
    [
      'WITH t AS (SELECT max(hours) AS most FROM shifts) SELECT county, id, most FROM shifts, t',
      'max(',
      'of all rows',
    ],
    [
      'SELECT s.county, d.h FROM shifts s JOIN (SELECT day, sum(hours) AS h FROM shifts GROUP BY day) d ON d.day = s.day',
      'sum(',
      'ON x.county = t.county',
    ],
    [
      'SELECT p.county, (SELECT count(*) FROM shifts s WHERE s.person = p.id) AS n FROM people p',
      'count(',
      'count() gives',
    ],
    ['SELECT county, ARRAY (SELECT id FROM visits) AS ids FROM shifts', 'SELECT id', 'ARRAY gives'],
    [
      'SELECT s.county, x.n FROM shifts s LEFT JOIN LATERAL (SELECT count(*) AS n FROM visits v WHERE v.county = s.county OR v.id > 3) x ON true',
      'count(',
      'of all rows',
    ],
    [
      'SELECT s.county, x.h FROM shifts s LEFT JOIN people p ON s.county = p.county CROSS JOIN (SELECT county, sum(hours) AS h FROM shifts GROUP BY county) x LEFT JOIN visits v ON v.id = s.id AND x.county = s.county',
      'sum(',
      'of all rows',
    ],
    [
      'SELECT min(county) AS county, sum(hours) FROM shifts GROUP BY day',
      'min(',
      'computed of several rows',
    ],
    [
      'SELECT u.county, count(*) OVER () FROM (SELECT * FROM shifts UNION ALL SELECT * FROM shifts) u',
      'SELECT * FROM shifts U',
      'not *',
    ],
    [
      'SELECT day, sum(hours) FROM shifts GROUP BY day',
      'SELECT day',
      'does not say which of its columns',
    ],
    [
      'SELECT county, id, (SELECT hours FROM shifts ORDER BY hours DESC LIMIT 1) AS most FROM shifts',
      'SELECT hours',
      'LIMIT',
    ],
    [
      'SELECT county, id FROM shifts WHERE id IN (SELECT id FROM shifts ORDER BY hours LIMIT 9)',
      'SELECT id',
      'LIMIT',
    ],
    [
      'SELECT s.county, s.id FROM shifts s JOIN (SELECT DISTINCT ON (person) id FROM shifts ORDER BY person, hours) x ON x.id = s.id',
      'SELECT DISTINCT',
      'DISTINCT ON',
    ],
    [
      'SELECT p.county, (SELECT x.day FROM (SELECT * FROM shifts ORDER BY day LIMIT 9) x WHERE x.person = p.id) AS day FROM people p',
      'SELECT * FROM shifts',
      'LIMIT',
    ],
    [
      'SELECT county, id FROM shifts WHERE hours >= ALL (SELECT hours FROM shifts)',
      'SELECT hours',
      'ALL gives',
    ],
    [
      'SELECT county, id, hours < ANY (SELECT hours FROM visits) AS less FROM shifts',
      'SELECT hours',
      'ANY gives',
    ],
    [
      'SELECT county, id, hours FROM shifts UNION ALL SELECT 1, 0, sum(hours) FROM shifts',
      'sum(',
      'of all rows',
    ],
    ['SELECT 1::int AS county, count(*) FROM shifts', 'count(', 'of all rows'],
    ['SELECT 1 AS county, id FROM shifts ORDER BY hours LIMIT 9', 'SELECT 1', 'LIMIT'],
    [
      'SELECT s.county, m.most FROM shifts s, (VALUES ((SELECT max(hours) FROM shifts))) m (most)',
      'max(',
      'of all rows',
    ],
    [
      'SELECT county, id, (SELECT (s.hours).sum FROM shifts s) AS total FROM shifts',
      'sum FROM',
      'sum() gives',
    ],
    ['(SELECT county, id FROM shifts) UNION ALL TABLE people LIMIT 9', '(', 'LIMIT'],
    [
      'SELECT county, id FROM (SELECT * FROM shifts ORDER BY id LIMIT 9) x, counties c',
      'SELECT * FROM shifts O',
      'LIMIT',
    ],
    [
      'WITH RECURSIVE t AS (SELECT county, id, 1 AS i FROM shifts UNION ALL (SELECT county, id, i + 1 FROM t WHERE i < 3 LIMIT 9)) SELECT t.county, t.id FROM t',
      'SELECT county, id, i',
      'LIMIT',
    ],
  ])('%s', (sql, at, message) => {
    const inside = rowsInside(sql, RULES);
    expect(inside).toMatchObject({ problem: { at: sql.indexOf(at) } });
    expect('problem' in inside ? inside.problem.message : '').toContain(message);
  });
});

describe('SQL that Postgres reads and we do not', () => {
  const NESTED =
    'FROM shifts s JOIN people p JOIN counties c ON c.id = p.county ON p.id = s.person';
  const NAMED = 'FROM (shifts s JOIN people p ON p.id = s.person) AS x (id, county)';
  const CYCLE =
    'WITH RECURSIVE t AS (SELECT id, county FROM shifts UNION ALL SELECT id + 1, county FROM t WHERE id < 3) CYCLE id SET is_cycle USING path';

  test.each([
    ['an ON behind the next', `SELECT s.county, s.id ${NESTED}`],
    ['a name for a join', `SELECT x.county, x.id ${NAMED}`],
    ['CYCLE', `${CYCLE} SELECT county, id FROM t`],
  ])('is left as it is where it computes nothing: %s', (_name, sql) => {
    expect(rowsInside(sql, RULES)).toEqual({ sql });
  });

  test.each([
    [`SELECT s.county, count(*) ${NESTED} GROUP BY 1`, 'ON c.id', 'Write each ON behind its JOIN'],
    [`SELECT x.county, x.id ${NAMED} LIMIT 9`, 'AS x', 'In place of a name for a join in brackets'],
    [
      `${CYCLE} SELECT county, max(id) FROM t GROUP BY county`,
      'CYCLE',
      'In place of SEARCH and CYCLE',
    ],
    [`SELECT x.county, x.id, x.count ${NAMED}`, 'AS x', 'In place of a name'],
    [`SELECT DISTINCT ON (x.county) x.county, x.id ${NAMED}`, 'AS x', 'In place of a name'],
    [`SELECT x.county, ARRAY(SELECT id FROM visits) ${NAMED}`, 'AS x', 'In place of a name'],
  ])('is refused with what to write where it may compute: %s', (sql, at, message) => {
    const inside = rowsInside(sql, RULES);
    expect(inside).toMatchObject({ problem: { at: sql.indexOf(at) } });
    expect('problem' in inside ? inside.problem.message : '').toContain(message);
  });

  test('its views are looked for by every name that it has', () => {
    expect(tablesIn(`SELECT x.county ${NAMED}`)).toEqual(
      expect.arrayContaining(['shifts', 'people']),
    );
  });
});
