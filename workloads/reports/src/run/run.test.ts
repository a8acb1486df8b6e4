import { JobFailure } from '@millrace/engine';
import { beforeAll, describe, expect, test } from 'vitest';
import { openBench } from '../../test/execute.ts';
import {
  WRITTEN,
  begun,
  bench,
  client,
  definitions,
  killEvery,
  source,
  useShifts,
} from '../../test/shifts.ts';
import type { ReportJob } from '../job-data.ts';

useShifts();

// Every contact is for kills.long.test.ts.
test.each(WRITTEN)(
  'a run that is killed gives the bytes of one that was not: %s as %o',
  async (report, output) => {
    expect(await killEvery(11, report, output)).toBeGreaterThan(0);
  },
);

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

test('a report may leave formulas as they are', async () => {
  const run = begun('unguarded');
  await bench.execute(run);
  const lines = (await bench.bytesOf(run)).toString();
  expect(lines).toContain(',=1+1\n');
  expect(lines).not.toContain("'");
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

const OF_COUNTY_2 = {
  identity: { name: 'bob', subject: 's', service: null, roles: [], claims: { county: ['2'] } },
};

test('what is computed of several rows is computed of those that are seen', async () => {
  const { rows } = await client.query<{ all: string; own: string; n: number }>(
    'SELECT sum(hours) AS all, sum(hours) FILTER (WHERE county = 2) AS own, count(*) FILTER (WHERE county = 2)::int AS n FROM shifts',
  );
  const totalsOf = async (report: string, changes?: Partial<ReportJob>) => {
    const run = begun(report, changes);
    await bench.execute(run);
    const [, ...lines] = (await bench.bytesOf(run)).toString().trimEnd().split('\n');
    return {
      rows: lines.length,
      totals: [...new Set(lines.map((line) => line.split(',').at(-1)))],
    };
  };
  const [{ all, own, n } = { all: '', own: '', n: 0 }] = rows;
  expect(await totalsOf('shares', OF_COUNTY_2)).toEqual({ rows: n, totals: [own] });
  expect(await totalsOf('shares')).toEqual({ rows: 950, totals: [all] });
  expect(await totalsOf('shares of all', OF_COUNTY_2)).toEqual({ rows: n, totals: [all] });
});

test.each([
  ['own aggregate', 'longest() gives here would be of all rows'],
  ['by point', 'Write it as count(…)'],
  ['unclear', 'set-returning functions are not allowed in WHERE'],
])('a total that the rules cannot come before is refused: %s', async (report, message) => {
  await client.query(
    'CREATE OR REPLACE AGGREGATE longest (numeric) (SFUNC = numeric_larger, STYPE = numeric)',
  );
  await expect(bench.execute(begun(report, OF_COUNTY_2))).rejects.toMatchObject({
    code: 'totals_refused',
    message: expect.stringContaining(message),
  });
});

describe('a view', () => {
  beforeAll(async () => {
    await client.query(`
      CREATE VIEW shifts_of_all AS SELECT county, id, sum(hours) OVER () AS total FROM shifts;
      CREATE VIEW shifts_of_county AS SELECT county, min(id) AS id, sum(hours) AS total FROM shifts GROUP BY county;
      CREATE VIEW shifts_top AS SELECT county, id, hours AS total FROM shifts ORDER BY hours DESC LIMIT 30;
      CREATE VIEW shifts_latest AS SELECT county, id, (SELECT s.day FROM shifts s WHERE s.id = shifts.id ORDER BY day DESC LIMIT 1) AS total FROM shifts`);
  });
  test.each(['of_all', 'top'])('that computes before the rule is refused: %s', async (view) => {
    await expect(bench.execute(begun(`view ${view}`, OF_COUNTY_2))).rejects.toMatchObject({
      code: 'totals_refused',
      message: expect.stringContaining(`The view shifts_${view} computes`),
    });
  });
  test.each([
    ['of_county', 1],
    ['latest', 317],
  ])('into which the planner takes the rule is read: %s', async (view, rows) => {
    const run = begun(`view ${view}`, OF_COUNTY_2);
    await bench.execute(run);
    expect(run.finish).toMatchObject({ rows });
  });
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

test('a run that is interrupted after its last row says nothing of another snapshot', async () => {
  const { contacts } = await bench.execute(begun('handed'));
  let resumed = 0;
  for (let killAt = 1; killAt <= contacts; killAt += 1) {
    const run = begun('handed');
    const { outcome } = await bench.execute(run, killAt);
    if (outcome !== 'killed' || run.chunks.length === 0) continue;
    resumed += 1;
    // All nine rows are in the chunk that is saved.
    await bench.execute(run);
    expect(run.finish).toMatchObject({ rows: 9, note: null });
  }
  expect(resumed).toBeGreaterThan(0);
});

test('a file that a version with other columns has begun is begun again', async () => {
  const whole = begun('shifts');
  const { contacts } = await bench.execute(whole);
  const run = begun('shifts');
  await bench.execute(run, contacts - 8);
  const { table, ...cursor } = run.cursor as { table: object };
  run.cursor = { ...cursor, table: { ...table, shape: 'another' } };
  await bench.execute(run);
  expect(run.finish).toMatchObject({
    sha256: whole.finish?.['sha256'],
    note: expect.stringContaining('of another version of Millrace'),
  });
});

test('a report of groups that may be written in another way begins again, and has one snapshot', async () => {
  const small = await openBench({
    source,
    definition: (name) => definitions.get(name) ?? null,
    config: { chunk: { bytes: 1_000, rows: 100 } },
  });
  const whole = begun('halves');
  const { contacts } = await small.execute(whole);
  const run = begun('halves');
  await small.execute(run, Math.floor(contacts / 2));
  expect(run.chunks.length).toBeGreaterThan(1);
  const before = run.chunks.length;
  await small.execute(run);
  expect(run.chunks[before]).toMatchObject({ cursor: { chunks: 1 } });
  expect(run.finish).toMatchObject({ rows: 950, sha256: whole.finish?.['sha256'], note: null });
  await small.close();
});

test('asOf: the result says how many rows were left out, counted where they would have been read', async () => {
  const small = await openBench({
    source,
    definition: (name) => definitions.get(name) ?? null,
    config: { chunk: { bytes: 1_000, rows: 100 } },
  });
  await client.query(`
    CREATE TABLE changing (id int PRIMARY KEY, at timestamptz NOT NULL);
    INSERT INTO changing SELECT i, now() - interval '1 day' FROM generate_series(1, 950) i;
    ANALYZE changing`);
  const whole = begun('changing');
  const { contacts } = await small.execute(whole);
  expect(whole.finish).toMatchObject({ rows: 950, note: null });
  const run = begun('changing');
  await small.execute(run, Math.floor(contacts / 2));
  const written = (run.cursor as { rows: number }).rows;
  expect(written).toBeGreaterThan(10);
  expect(written).toBeLessThan(900);
  // Ten that are in the file already, forty that are not, and one that is new.
  await client.query(`
    UPDATE changing SET at = clock_timestamp() WHERE id <= 10 OR id > 910;
    INSERT INTO changing VALUES (1000, clock_timestamp())`);
  await small.execute(run);
  expect(run.finish).toMatchObject({
    rows: 910,
    note: '41 rows changed after the report began, and were left out.',
  });
  const ids = (await small.bytesOf(run)).toString().match(/^\d+(?=,)/gm);
  expect(ids).toEqual(Array.from({ length: 910 }, (_, at) => String(at + 1)));
  await small.close();
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
