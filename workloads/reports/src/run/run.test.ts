import { JobFailure } from '@millrace/engine';
import { type SqlSource, openPostgresSource } from '@millrace/sql-source';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bareDatabase } from '../../../../stores/postgres/test/databases.ts';
import { type Bench, jobRun, openBench } from '../../test/execute.ts';
import { definitionOf } from '../../test/definitions.ts';
import type { ReportJob } from '../job-data.ts';

const ROWS = 950;

let source: SqlSource;
let bench: Bench;
let client: pg.Client;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await bareDatabase();
  ({ drop } = database);
  client = new pg.Client(database.url);
  await client.connect();
  await client.query(`
    CREATE TABLE shifts (county int NOT NULL, id bigint NOT NULL, day date NOT NULL, hours numeric(6,2), note text, PRIMARY KEY (county, id));
    INSERT INTO shifts SELECT 1 + i % 3, i, date '2026-01-01' + i % 28, (i % 90) / 8.0,
      CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'a "quoted", note' WHEN 3 THEN E'two\\nlines' ELSE '=1+1' END
      FROM generate_series(1, ${ROWS}) i;
    ANALYZE shifts`);
  source = openPostgresSource({ connection: { connectionString: database.url } });
  bench = await openBench({ source, definition: (name) => definitions.get(name) ?? null });
});
afterAll(async () => {
  await source.close();
  await bench.close();
  await client.end();
  await drop();
});

const definitions = new Map(
  [
    definitionOf('shifts', {
      sql: 'SELECT county, id, day, hours, note FROM shifts WHERE day >= :from -- all of them\n',
      key: ['county', 'id'],
      parameters: { from: { type: 'date', default: '2026-01-01' } },
      rows: [
        { roles: ['admin'], see: 'all' },
        { column: 'county', claim: 'county' },
      ],
      outputs: { file: 'shifts-{created}' },
    }),
    definitionOf('handed', {
      sql: 'SELECT county, id FROM shifts WHERE id < 10',
      key: ['county', 'id'],
      public: true,
      handOver: 'https://hooks.example.com/reports',
      keepToken: true,
    }),
    definitionOf('days', {
      sql: 'SELECT day, count(*) AS shifts, sum(hours) AS hours FROM shifts GROUP BY day',
      key: ['day'],
      public: true,
    }),
    definitionOf('twice', { sql: 'SELECT county, day FROM shifts', key: ['county'], public: true }),
    definitionOf('nulls', { sql: 'SELECT note, id FROM shifts', key: ['note'], public: true }),
  ].map((definition) => [definition.name, definition]),
);

function job(report: string, changes: Partial<ReportJob> = {}): ReportJob {
  return {
    report,
    digest: definitions.get(report)?.digest ?? '0'.repeat(64),
    parameters: {},
    output: { format: 'csv', compression: null },
    identity: { name: 'ada', subject: 's', service: null, roles: ['admin'], claims: {} },
    ...changes,
  };
}

let jobs = 0;
const begun = (report: string, changes?: Partial<ReportJob>) =>
  jobRun(`pg-${(jobs += 1)}`, job(report, changes));

describe('a run that is killed at any moment', () => {
  test.each([
    ['shifts', { format: 'csv', compression: null }],
    ['shifts', { format: 'csv', compression: 'gzip' }],
    ['shifts', { format: 'jsonl', compression: null }],
    ['shifts', { format: 'xlsx', compression: null }],
    ['shifts', { format: 'parquet', compression: null }],
    ['days', { format: 'csv', compression: 'gzip' }],
  ] as const)(
    'gives the bytes of one that was not: %s as %o',
    { timeout: 180_000 },
    async (report, output) => {
      const whole = begun(report, { output });
      const { contacts } = await bench.execute(whole);
      const expected = await bench.bytesOf(whole);
      expect(contacts).toBeGreaterThan(10);
      let kills = 0;
      for (let killAt = 1; killAt <= contacts; killAt += 1) {
        const run = begun(report, { output });
        const first = await bench.execute(run, killAt);
        if (first.outcome !== 'killed') continue;
        kills += 1;
        const { outcome } = await bench.execute(run);
        expect(outcome).toMatchObject({ type: 'done' });
        expect(Buffer.compare(await bench.bytesOf(run), expected), `killed at ${killAt}`).toBe(0);
        expect(run.finish).toMatchObject({ sha256: whole.finish?.['sha256'] });
      }
      expect(kills).toBeGreaterThan(10);
    },
  );
});

test('what psql writes is what is written, but for the header and formulas', async () => {
  const run = begun('shifts', { parameters: { from: '2026-01-20' } });
  await bench.execute(run);
  const lines = (await bench.bytesOf(run)).toString();
  const { rows } = await client.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM shifts WHERE day >= '2026-01-20'`,
  );
  expect(run.finish).toMatchObject({ rows: rows[0]?.n });
  expect(lines.startsWith('county,id,day,hours,note\n1,21,2026-01-22,2.63,')).toBe(true);
  expect(lines).toContain(`'=1+1`);
});

test('the tick of a schedule is what days are counted from, however late its job was made', async () => {
  const run = begun('shifts', { parameters: { from: 'yesterday' }, at: Date.UTC(2026, 0, 21) });
  const { outcome } = await bench.execute(run);
  expect(outcome).toMatchObject({ result: { parameters: { from: '2026-01-20' } } });
});

test('its days, and that in the name of its file, are those of its time zone', async () => {
  const changes = { parameters: { from: 'yesterday' }, at: Date.UTC(2026, 0, 21, 3) };
  const inZone = async (timeZone: string | undefined) => {
    const run = begun('shifts', { ...changes, timeZone });
    const { outcome } = await bench.execute(run);
    return [outcome, run.finish];
  };
  expect(await inZone(undefined)).toMatchObject([
    { result: { parameters: { from: '2026-01-20' } } },
    { fileName: 'shifts-2026-01-21.csv' },
  ]);
  // There it is the evening before.
  expect(await inZone('America/Los_Angeles')).toMatchObject([
    { result: { parameters: { from: '2026-01-19' } } },
    { fileName: 'shifts-2026-01-20.csv' },
  ]);
});

test('the claims of whoever asked decide which rows there are', async () => {
  const claims = { county: ['2'] };
  const run = begun('shifts', {
    identity: { name: 'bob', subject: 's', service: null, roles: ['viewer'], claims },
  });
  await bench.execute(run);
  const counties = (await bench.bytesOf(run))
    .toString()
    .split('\n')
    .filter((line) => /^\d+,\d+,2026/.test(line))
    .map((line) => line.split(',')[0]);
  expect([...new Set(counties)]).toEqual(['2']);
  expect(run.finish).toMatchObject({ rows: counties.length });
  const none = begun('shifts', {
    identity: { name: 'eve', subject: 's', service: null, roles: ['viewer'], claims: {} },
  });
  await expect(bench.execute(none)).rejects.toMatchObject({ code: 'claim_missing' });
});

test('after an interruption the result says after which row the snapshot changed', async () => {
  const run = begun('shifts');
  const { contacts } = await bench.execute(begun('shifts'));
  await bench.execute(run, contacts - 8);
  expect(run.chunks.length).toBeGreaterThan(0);
  await bench.execute(run);
  expect(run.finish?.['note']).toMatch(/^The run was interrupted: rows after row \d+ were read/);
});

test('keys that several rows have, or that are NULL, are refused: rows would be left out', async () => {
  const definition = (name: string) => definitions.get(name) ?? null;
  const small = await openBench({
    source,
    definition,
    config: { chunk: { bytes: 1_000, rows: 100 } },
  });
  await expect(small.execute(begun('twice'))).rejects.toMatchObject({ code: 'key_not_unique' });
  await small.close();
  await expect(bench.execute(begun('nulls'))).rejects.toMatchObject({ code: 'null_in_key' });
});

test('a finished file is handed over with the token, again where the other service is away, and written once', async () => {
  const given: { bearer?: string | undefined; id: string; body: unknown }[] = [];
  let away = 2;
  const handing = await openBench({
    source,
    definition: (name) => definitions.get(name) ?? null,
    async deliver(delivery) {
      given.push(delivery);
      away -= 1;
      if (away >= 0) throw new JobFailure('webhook_unreachable', 'nobody is there');
      return { status: 204 };
    },
  });
  let run = begun('handed');
  const first = await handing.execute(run);
  expect(first.outcome).toMatchObject({ type: 'defer', data: { written: { rows: 9 } } });
  for (let outcome = first.outcome; typeof outcome === 'object' && outcome.type === 'defer';) {
    run = { ...run, data: outcome.data as ReportJob };
    ({ outcome } = await handing.execute(run));
    expect(run.chunks).toHaveLength(1);
  }
  expect(given).toHaveLength(3);
  expect(new Set(given.map(({ id, bearer }) => `${id} ${bearer}`)).size).toBe(1);
  expect(given[0]).toMatchObject({ bearer: 'the-token', body: { run: run.id, rows: 9 } });
  await handing.close();
});
