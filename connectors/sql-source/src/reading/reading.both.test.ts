import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import {
  KINDS,
  type TestSource,
  collect,
  copied,
  openTestSource,
  reading,
  refused,
} from '../../test/sources.ts';
import { isLong } from '../../../../scripts/need.mjs';
import { bindNames } from '../index.ts';

/** The same on a server, in the fast suite, and on the embedded database, in the long one. */
describe.each(KINDS.filter((kind) => (kind === 'embedded') === isLong))(
  'a reading of %s',
  (kind) => {
    let opened: TestSource;
    beforeAll(async () => {
      opened = await openTestSource(kind);
      await opened.script(`
      CREATE TABLE hours (id bigint PRIMARY KEY, county int NOT NULL, name text, worked numeric(6,2), at timestamptz);
      INSERT INTO hours SELECT g, g % 58, 'Ann ' || g, g / 7.0, '2026-01-31 09:00:00.123456+01'
        FROM generate_series(1, 20000) g;
      CREATE FUNCTION touch(hours) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
      CREATE FUNCTION either(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
      CREATE FUNCTION either(text) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1';
      CREATE TYPE word AS (w text);
      CREATE FUNCTION word(int) RETURNS word LANGUAGE sql VOLATILE AS 'SELECT ROW(NULL)::word';
      CREATE CAST (int AS word) WITH FUNCTION word(int);
      CREATE FUNCTION name(bigint) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'`);
    });
    afterAll(() => opened.drop());

    const HOSTILE = [
      "19' OR '1'='1",
      String.raw`\' ; DROP TABLE hours; --`,
      '$$ $1 ${x} %s',
      'a\nb\r\n\tc',
      'Zoë "😀" ﬃ',
      '',
      ' ',
      "'); SELECT 1",
      'x'.repeat(100_000),
    ];

    test('values reach the SQL as they are, whatever they are', async () => {
      await reading(opened.source, async ({ set, rows }) => {
        for (const value of HOSTILE) {
          await set({ value, other: null });
          const { text } = bindNames('SELECT :value', { value: 'text' }, () => false);
          expect(await rows(text)).toEqual([[value]]);
        }
        expect(await rows('SELECT count(*) FROM hours')).toEqual([['20000']]);
      });
    });

    test.each([
      [{ a: 'x\0y' }, 'NUL'],
      [{ a: 'x\ud83d' }, 'half a character'],
      [{ county: '1', County: '2' }, 'twice'],
      [{ 'a.b': '1' }, 'no name'],
      [{ "a'b": '1' }, 'no name'],
      [{ '': '1' }, 'no name'],
    ])('%j is refused, and the reading goes on', async (values, message) => {
      await reading(opened.source, async ({ set, rows }) => {
        const thrown = await refused(set(values));
        expect(thrown).toMatchObject({ code: 'bad_value', retryable: false });
        expect(thrown.message).toContain(message);
        expect(await rows('SELECT 1')).toEqual([['1']]);
      });
    });

    test('aggregates in the notation of columns are found', async () => {
      await reading(opened.source, async ({ describe: columns, aggregatesByPoint }) => {
        for (const [sql, name, position] of [
          ["SELECT 'ä😀', h.count FROM hours h", 'count', 'h.count'],
          ['SELECT (h.county).max FROM hours h', 'max', 'h.county'],
          [
            'SELECT pg_catalog.count(*), "count"(1), count (h) FILTER (WHERE true) FROM hours h',
            null,
            '',
          ],
          ['SELECT c.count FROM (SELECT count(*) FROM hours) c', null, ''],
        ] as const) {
          await columns(sql);
          const expected = name === null ? [] : [{ name, position: sql.indexOf(position) }];
          expect(await aggregatesByPoint(sql), sql).toEqual(expected);
        }
      });
    });

    test('values of one reading are not there in the next', async () => {
      await reading(opened.source, ({ set }) => set({ secret: 'x' }));
      await reading(opened.source, async ({ rows }) => {
        expect(await rows(`SELECT coalesce(current_setting('rp.secret', true), '')`)).toEqual([
          [''],
        ]);
      });
    });

    test('says what columns the SQL gives', async () => {
      await reading(opened.source, async ({ describe: columns }) => {
        expect(
          await columns('SELECT id, name AS "Full name", worked, at, 1 AS one FROM hours -- all'),
        ).toMatchObject([
          { name: 'id', type: 'bigint', oid: 20, notNull: true },
          { name: 'Full name', type: 'text', notNull: false },
          { name: 'worked', type: 'numeric(6,2)', notNull: false },
          { name: 'at', type: 'timestamp with time zone' },
          { name: 'one', type: 'integer', notNull: false },
        ]);
      });
    });

    test('shows the plan of a later chunk, with values that are bound', async () => {
      await reading(opened.source, async ({ set, explain }) => {
        await set({ id: '17000' });
        const { text } = bindNames(
          'SELECT * FROM hours WHERE id > :id ORDER BY id LIMIT 100',
          { id: 'bigint' },
          () => false,
        );
        const plan = await explain(text);
        expect(plan['Node Type']).toBe('Limit');
        expect(plan.Plans?.[0]).toMatchObject({ 'Node Type': 'Index Scan' });
        expect(plan.Plans?.[0]?.['Index Cond']).toContain("current_setting('rp.id'");
      });
    });

    test('formats do not depend on the database', async () => {
      await reading(opened.source, async ({ rows }) => {
        const sql = `SELECT at, interval '1 day 2 hours', 0.1::float8, '\\x0a'::bytea FROM hours LIMIT 1`;
        expect(await rows(sql)).toEqual([
          ['2026-01-31 08:00:00.123456+00', '1 day 02:00:00', '0.1', '\\x0a'],
        ]);
      });
    });

    describe('copies', () => {
      const ALL = 'SELECT id, name FROM hours ORDER BY id';
      const line = (id: number): string => `${id},Ann ${id}\n`;
      const whole = Array.from({ length: 20_000 }, (_, index) => line(index + 1)).join('');

      test('a batch with the most bytes ends however few its rows are', async () => {
        await reading(opened.source, async ({ copy }) => {
          const cut = { bytes: Infinity, rows: Infinity, mostBytes: 1_000 };
          const batches = await collect(copy(ALL, cut));
          expect(batches.map(({ bytes }) => bytes.toString()).join('')).toBe(whole);
          for (const { bytes, lastRow } of batches.slice(0, -1)) {
            expect(bytes.length >= 1_000 && bytes.length - lastRow.length < 1_000).toBe(true);
          }
        });
      });

      test('batches of whole rows, cut by bytes and rows', async () => {
        await reading(opened.source, async ({ copy }) => {
          const batches = await collect(copy(ALL, { bytes: 10_000, rows: 1_000 }));
          expect(batches.map(({ bytes }) => bytes.toString()).join('')).toBe(whole);
          for (const { bytes, rows, lastRow } of batches.slice(0, -1)) {
            expect(bytes.length >= 10_000 && rows >= 1_000).toBe(true);
            // One row less would have been too few bytes, or too few rows.
            expect(bytes.length - lastRow.length < 10_000 || rows - 1 < 1_000).toBe(true);
            const lines = bytes.toString().split('\n').slice(0, -1);
            expect(lastRow.toString()).toBe(`${lines.at(-1)}\n`);
          }
          const again = await collect(
            copy(ALL, { bytes: 10_000, rows: 1_000, likelyBytes: 100_000 }),
          );
          expect(again).toEqual(batches);
        });
      });

      test('batches of so many rows as are asked for, each time', async () => {
        await reading(opened.source, async ({ copy }) => {
          const asked: unknown[] = [];
          const nextRows = (taken: object | null) => {
            asked.push(taken);
            return asked.length * 3_000;
          };
          const cut = { bytes: Infinity, rows: Infinity, nextRows };
          const batches = await collect(copy(ALL, cut));
          expect(batches.map(({ rows }) => rows)).toEqual([3_000, 6_000, 9_000, 2_000]);
          expect(batches.map(({ bytes }) => bytes.toString()).join('')).toBe(whole);
          expect(asked.slice(0, 2)).toEqual([
            null,
            { rows: 3_000, bytes: batches[0]?.bytes.length },
          ]);
        });
      });

      test('nothing, one row, and rows larger than a buffer', async () => {
        await reading(opened.source, async (begun) => {
          const cut = { bytes: 1_000_000, rows: 1 };
          expect(await collect(begun.copy('SELECT 1 WHERE false', cut))).toEqual([]);
          expect(await copied(begun, 'SELECT 1', cut)).toBe('1\n');
          const large = "SELECT g, repeat('x', g * 70000) FROM generate_series(1, 5) g";
          const rows = Array.from(
            { length: 5 },
            (_, g) => `${g + 1},${'x'.repeat((g + 1) * 70_000)}\n`,
          );
          expect(await copied(begun, large, cut)).toBe(rows.join(''));
        });
      });

      test('CSV as Postgres writes it, a row with line ends being one', async () => {
        await reading(opened.source, async ({ copy }) => {
          const sql = `VALUES ('a"b', E'x\\ny', NULL, ''), ('c,d', '=1+1', 'ä😀', ' ')`;
          const batches = await collect(copy(sql, { bytes: 1, rows: 1 }));
          expect(batches.map(({ lastRow }) => lastRow.toString())).toEqual([
            '"a""b","x\ny",,""\n',
            '"c,d",=1+1,ä😀, \n',
          ]);
        });
      });

      test('finished lines untouched, and Postgres’ own text', async () => {
        await reading(opened.source, async (begun) => {
          const json = `SELECT row_to_json(r) FROM (VALUES (1, 'a"b,''c'), (2, NULL)) AS r (n, t)`;
          expect(await copied(begun, json, { format: 'lines' })).toBe(
            `{"n":1,"t":"a\\"b,'c"}\n{"n":2,"t":null}\n`,
          );
          expect(await copied(begun, `VALUES (''), ('"'), (',')`, { format: 'lines' })).toBe(
            '\n"\n,\n',
          );
          expect(await copied(begun, `SELECT NULL, E'a\\tb'`, { format: 'text' })).toBe(
            '\\N\ta\\tb\n',
          );
        });
      });

      test('after a COPY other statements, and the next COPY', async () => {
        await reading(opened.source, async (begun) => {
          for (const from of [1, 2]) {
            await begun.set({ from: String(from) });
            const { text } = bindNames('SELECT :from', { from: 'int' }, () => false);
            expect(await copied(begun, text)).toBe(`${from}\n`);
            expect(await begun.rows(text)).toEqual([[`${from}`]]);
          }
        });
      });

      test('a row that cannot be computed: the batches before it come, then the error', async () => {
        await reading(opened.source, async ({ copy, rows }) => {
          // In the order in which they were put in: a sort would compute all rows before the first.
          const sql = 'SELECT id, 1 / (id - 15000) FROM hours WHERE id > 10000';
          let seen = 0;
          const thrown = await refused(
            (async () => {
              for await (const batch of copy(sql, { bytes: 1, rows: 1_000 })) seen += batch.rows;
            })(),
          );
          expect(thrown).toMatchObject({ code: '22012', retryable: false });
          expect(thrown.message).toContain('division by zero');
          expect(seen).toBe(4_000);
          // The snapshot is lost with the transaction.
          expect(await refused(rows('SELECT 1'))).toBe(thrown);
        });
      });

      test('one that is left before its end ends the reading', async () => {
        await reading(opened.source, async ({ copy, rows }) => {
          const sql = 'SELECT a.id FROM hours a, hours b';
          for await (const batch of copy(sql, { bytes: 1, rows: 1 })) {
            expect(batch.rows).toBe(1);
            break;
          }
          expect(await refused(rows('SELECT 1'))).toMatchObject({ code: 'closed' });
        });
        await reading(opened.source, async ({ rows }) => {
          expect(await rows('SELECT 1')).toEqual([['1']]);
        });
      });
    });

    describe('refuses', () => {
      test.each([
        ['SELECT 1 FROM nowhere', '42P01', 'nowhere'],
        ["SELECT '😀', nothing FROM hours", '42703', 'nothing'],
        ['SELECT county FROM hours GROUP BY id / 2', '42803', 'county'],
        ['SELECT 1 +', '42601', null],
        ['SELECT FROM hours WHERE', '42601', null],
      ])('%s, with its place', async (sql, code, at) => {
        await reading(opened.source, async (begun) => {
          const thrown = await refused(begun.describe(sql));
          expect(thrown).toMatchObject({ code, retryable: false });
          if (at !== null) expect(thrown.position).toBe(sql.indexOf(at));
        });
      });

      test.each(['describe', 'explain', 'rows', 'copy'] as const)(
        'by %s what is more than a SELECT',
        async (verb) => {
          const ask = (sql: string): Promise<SourceError> =>
            reading(opened.source, (begun) =>
              refused(
                verb === 'copy'
                  ? collect(begun.copy(sql, { bytes: 1, rows: 1 }))
                  : begun[verb](sql),
              ),
            );
          for (const sql of MORE_THAN_A_SELECT) {
            const thrown = await ask(sql);
            expect(thrown.retryable, sql).toBe(false);
            expect(thrown.code, sql).toMatch(/^(bad_sql|42601|42883|0A000|25006)$/);
          }
          await reading(opened.source, async ({ rows }) => {
            expect(await rows('SELECT count(*) FROM hours')).toEqual([['20000']]);
          });
        },
      );

      test('no column that has the name of a VOLATILE function', async () => {
        await reading(opened.source, async ({ describe: columns, rows }) => {
          expect(
            await rows(
              'SELECT v.pg_sleep, (v).pg_sleep, h.name FROM (VALUES (7)) AS v (pg_sleep), hours h WHERE h.id = 1',
            ),
          ).toEqual([['7', '7', 'Ann 1']]);
          expect(await columns('SELECT h.name FROM hours h')).toMatchObject([{ type: 'text' }]);
          // A setting of the check is not left behind.
          expect(await rows(`SELECT current_setting('debug_print_parse')`)).toEqual([['off']]);
          expect(await refused(rows('SELECT (h.id).name FROM hours h'))).toMatchObject({
            code: 'bad_sql',
            message: expect.stringContaining('calls name(), which is VOLATILE'),
          });
        });
      });

      test.each([
        ['SELECT either(1)', null],
        ['SELECT either($$1$$)', 'either'],
        ['SELECT 1::word', 'word'],
        ['SELECT h.touch FROM hours h', 'touch'],
        ['SELECT * FROM hours TABLESAMPLE system (10)', 'system'],
        ['WITH random (a) AS (SELECT 1) SELECT a AS nextval FROM random', null],
      ])('what the database has read as a call of a VOLATILE function: %s', async (sql, name) => {
        await reading(opened.source, async ({ describe: columns }) => {
          if (name === null) return void (await columns(sql));
          expect(await refused(columns(sql))).toMatchObject({
            code: 'bad_sql',
            message: expect.stringContaining(`calls ${name}(), which is VOLATILE`),
          });
        });
      });

      test('SQL that was described may stand in other SQL, and what is around it is looked at', async () => {
        const sql = 'SELECT either(1) AS e FROM hours';
        await reading(opened.source, async ({ describe: columns, rows }) => {
          await columns(sql);
          expect(await rows(`SELECT count(*) FROM (${sql}) AS report`)).toEqual([['20000']]);
          const more = `SELECT either(e) FROM (${sql}) AS report`;
          expect(await refused(rows(more))).toMatchObject({ code: 'bad_sql' });
        });
      });

      test('locks', async () => {
        const thrown = await reading(opened.source, ({ rows }) =>
          refused(rows('SELECT * FROM hours FOR UPDATE')),
        );
        expect(thrown).toMatchObject({ code: '25006', retryable: false });
      });

      test('what a text calls that differs from a good one in more than numbers', async () => {
        await reading(opened.source, async ({ rows }) => {
          expect(await rows('SELECT abs(1) LIMIT 10')).toEqual([['1']]);
          expect(await rows('SELECT abs(25) LIMIT 7')).toEqual([['25']]);
          expect(await refused(rows('SELECT abs(1) + random() LIMIT 10'))).toMatchObject({
            code: 'bad_sql',
          });
          expect(await refused(rows('SELECT abs(1)1; DELETE FROM hours'))).toMatchObject({
            code: 'bad_sql',
          });
        });
      });

      test('two statements at once', async () => {
        await reading(opened.source, async ({ rows }) => {
          const first = rows('SELECT 1');
          await expect(rows('SELECT 2')).rejects.toThrow('one statement at a time');
          expect(await first).toEqual([['1']]);
        });
      });

      test('after its end', async () => {
        const begun = await opened.source.begin({ statementTimeoutMs: 1_000 });
        await begun.end();
        await begun.end();
        expect(await refused(begun.rows('SELECT 1'))).toMatchObject({ code: 'closed' });
      });
    });

    it('answers a check', async () => {
      await opened.source.check();
    });
  },
);

type SourceError = Awaited<ReturnType<typeof refused>>;

const MORE_THAN_A_SELECT = [
  'DELETE FROM hours',
  'SELECT 1; DELETE FROM hours',
  'SELECT 1) AS report; DELETE FROM hours; --',
  'SELECT 1) TO STDOUT; DELETE FROM hours; COPY (SELECT 1',
  "SELECT 1) TO PROGRAM 'true' --",
  'SELECT 1) AS a UNION SELECT * FROM (SELECT 2',
  'WITH gone AS (DELETE FROM hours RETURNING *) SELECT * FROM gone',
  'SELECT * INTO copy FROM hours',
  'COMMIT',
  'BEGIN',
  'SET LOCAL transaction_read_only = off',
  'DO $$ BEGIN PERFORM 1; END $$',
  'TRUNCATE hours',
  'EXPLAIN ANALYZE DELETE FROM hours',
  "SELECT set_config('rp.county', '7', true)",
  "SELECT SET_CONFIG('transaction_read_only', 'off', true)",
  `SELECT "set_config" /* ( */ ('statement_timeout', '0', true)`,
  "SELECT pg_catalog . set_config\n('statement_timeout', '0', true)",
  "SELECT * FROM set_config('a.b', 'c', true)",
  "SELECT * FROM ROWS FROM (set_config('a.b', 'c', true)) AS r",
  "SELECT id FROM hours WHERE (SELECT set_config('a.b', 'c', true)) = ''",
  String.raw`SELECT U&"\0073et_config"('a.b', 'c', true)`,
  "SELECT query_to_xml('SELECT set_config(''a.b'', ''c'', true)', true, true, '')",
  "SELECT crosstab('SELECT 1')",
  "SELECT lo_import('/etc/passwd')",
  "SELECT lo_export(1, '/tmp/x')",
  'SELECT lo_create(0)',
  "SELECT pg_read_file('/etc/passwd')",
  'SELECT pg_terminate_backend(1)',
  'SELECT pg_advisory_lock(1)',
  'SELECT pg_sleep(1)',
  "SELECT ('/etc/passwd'::text).pg_read_file",
  `SELECT ('/etc/passwd'::text) /* */ . "pg_read_file" AS x`,
  "SELECT (v.x).pg_read_file FROM (VALUES ('/etc/passwd'::text)) AS v (x)",
  "SELECT * FROM (VALUES (('/etc/passwd'::text).pg_read_file), ('a')) AS v (x)",
  "SELECT 1 LIMIT length(('/etc/passwd'::text).pg_read_file)",
  "SELECT sum(1) OVER (ROWS length(('/etc/passwd'::text).pg_read_file) PRECEDING)",
  "SELECT id FROM hours ORDER BY ('1'::text).lo_import",
  'SELECT (0::float8).pg_sleep',
  'SELECT (hours).touch FROM hours',
  'SELECT hours.touch FROM hours',
  'SELECT random()',
  'SELECT clock_timestamp()',
];
