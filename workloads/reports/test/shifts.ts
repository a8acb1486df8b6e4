import { type SqlSource, openPostgresSource } from '@millrace/sql-source';
import pg from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { bareDatabase } from '../../../stores/postgres/test/databases.ts';
import { type Bench, jobRun, openBench } from './execute.ts';
import { definitionOf } from './definitions.ts';
import type { ReportJob } from '../src/job-data.ts';

/** A table of shifts on Postgres, reports of it, and their jobs: for the test files that call `useShifts`. */

const ROWS = 950;

export let source: SqlSource;
export let bench: Bench;
export let client: pg.Client;
let drop: () => Promise<void>;

export function useShifts(): void {
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
}

export const definitions = new Map(
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
    definitionOf('halves', {
      sql: 'SELECT id / 2.0 AS half, count(*) AS shifts FROM shifts GROUP BY id / 2.0',
      key: ['half'],
      public: true,
    }),
    definitionOf('shares', {
      sql: 'SELECT county, id, hours, sum(hours) OVER () AS total FROM shifts',
      key: ['county', 'id'],
      rows: [
        { roles: ['admin'], see: 'all' },
        { column: 'county', claim: 'county' },
      ],
    }),
    definitionOf('shares of all', {
      sql: 'SELECT county, id, hours, sum(hours) OVER () AS total FROM shifts',
      key: ['county', 'id'],
      rows: [{ column: 'county', claim: 'county' }],
      totals: 'all rows',
    }),
    definitionOf('own aggregate', {
      sql: 'SELECT s.county, s.id, t.of_all FROM shifts s, (SELECT longest(hours) AS of_all FROM shifts) t',
      key: ['county', 'id'],
      rows: [{ column: 'county', claim: 'county' }],
    }),
    definitionOf('by point', {
      sql: 'SELECT s.county, s.id, (SELECT o.count FROM shifts o) AS of_all FROM shifts s',
      key: ['county', 'id'],
      rows: [{ column: 'county', claim: 'county' }],
    }),
    ...['of_all', 'of_county', 'top', 'latest'].map((view) =>
      definitionOf(`view ${view}`, {
        sql: `SELECT county, id, total FROM shifts_${view}`,
        key: ['county', 'id'],
        rows: [{ column: 'county', claim: 'county' }],
      }),
    ),
    definitionOf('unclear', {
      sql: 'SELECT unnest(ARRAY[county]) AS county, id, sum(hours) OVER () AS total FROM shifts',
      key: ['county', 'id'],
      rows: [{ column: 'county', claim: 'county' }],
    }),
    definitionOf('unguarded', {
      sql: 'SELECT county, id, note FROM shifts WHERE id < 10',
      key: ['county', 'id'],
      public: true,
      formulaGuard: false,
    }),
    definitionOf('changing', {
      sql: 'SELECT id, at FROM changing',
      key: ['id'],
      public: true,
      asOf: 'at',
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
export const begun = (report: string, changes?: Partial<ReportJob>) =>
  jobRun(`pg-${(jobs += 1)}`, job(report, changes));

/** What is killed at some of its contacts with the outside: each as it is and as it is written. */
export const WRITTEN = [
  ['shifts', { format: 'csv', compression: null }],
  ['shifts', { format: 'csv', compression: 'gzip' }],
  ['shifts', { format: 'jsonl', compression: null }],
  ['shifts', { format: 'xlsx', compression: null }],
  ['shifts', { format: 'parquet', compression: null }],
  ['days', { format: 'csv', compression: 'gzip' }],
] as const;

/** Runs are killed once at every so many contacts, and then carried on: they give the bytes of one that was not. Gives how many. */
export async function killEvery(
  nth: number,
  report: string,
  output: ReportJob['output'],
): Promise<number> {
  const whole = begun(report, { output });
  const { contacts } = await bench.execute(whole);
  const expected = await bench.bytesOf(whole);
  expect(contacts).toBeGreaterThan(10);
  let kills = 0;
  for (let killAt = nth; killAt <= contacts; killAt += nth) {
    const run = begun(report, { output });
    const first = await bench.execute(run, killAt);
    if (first.outcome !== 'killed') continue;
    kills += 1;
    const { outcome } = await bench.execute(run);
    expect(outcome).toMatchObject({ type: 'done' });
    expect(Buffer.compare(await bench.bytesOf(run), expected), `killed at ${killAt}`).toBe(0);
    expect(run.finish).toMatchObject({ sha256: whole.finish?.['sha256'] });
  }
  return kills;
}
