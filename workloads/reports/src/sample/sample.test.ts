import type { PlanNode } from '@millrace/sql-source';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  KINDS,
  type TestSource,
  openTestSource,
  reading,
} from '../../../../connectors/sql-source/test/sources.ts';
import { ensureSample, makeSample } from './make.ts';
import { hasSample } from './state.ts';
import { sampleSteps } from './steps.ts';

const TODAY = '2026-11-20';
const ROWS = 6_000;

/** Every value of every table, in one number. */
const DIGEST = `
SELECT md5((SELECT string_agg(t::text, '|' ORDER BY id) FROM counties t)
        || (SELECT string_agg(t::text, '|' ORDER BY id) FROM providers t)
        || (SELECT string_agg(t::text, '|' ORDER BY id) FROM recipients t)
        || (SELECT string_agg(t::text, '|' ORDER BY id) FROM timesheets t)
        || (SELECT string_agg(t::text, '|' ORDER BY id) FROM payments t))`;

const digests = new Set<string>();

describe.each(KINDS)('the sample on %s', (kind) => {
  let opened: TestSource;
  beforeAll(async () => {
    opened = await openTestSource(kind);
  });
  afterAll(() => opened.drop());

  const value = (sql: string): Promise<string | null | undefined> =>
    reading(opened.source, async ({ rows }) => (await rows(sql))[0]?.[0]);
  const sample = () => reading(opened.source, hasSample);

  test('is there when its last step has run, and not before', async () => {
    expect(await sample()).toBeNull();
    const steps = sampleSteps({ rows: ROWS, today: TODAY });
    for (const { sql } of steps.slice(0, -1)) await opened.script(sql);
    expect(await sample()).toBeNull();
    await opened.script(steps.at(-1)?.sql ?? '');
    expect(await sample()).toEqual({ rows: ROWS, today: TODAY, seed: 1 });
    expect(await value('SELECT count(*) FROM timesheets')).toBe(String(ROWS));
    digests.add((await value(DIGEST)) ?? '');
  });

  test('belongs together', async () => {
    expect(
      await value(`
        SELECT count(*) FROM timesheets t JOIN providers p ON p.id = t.provider_id JOIN recipients r ON r.id = t.recipient_id
         WHERE t.county_id = p.county_id AND r.county_id = p.county_id AND t.hours BETWEEN 1 AND 8
           AND (t.submitted_at IS NULL) = (t.status = 'draft') AND (t.approved_at IS NOT NULL) = (t.status IN ('approved', 'paid'))`),
    ).toBe(String(ROWS));
    expect(
      await value(`
        SELECT sum(hours) = (SELECT sum(hours) FROM timesheets WHERE status = 'paid') AND bool_and(net + deductions = gross)
           AND bool_and(period_start < period_end AND period_end < paid_on) AND sum(timesheets) > 5 * count(*) / 2
          FROM payments`),
    ).toBe('t');
  });

  test('has happened in the 14 months before its day', async () => {
    expect(
      await value(`
        SELECT concat_ws(' ', bool_and(work_date BETWEEN date '${TODAY}' - 426 AND date '${TODAY}' - 1),
                              count(DISTINCT work_date) > 400, count(DISTINCT status), count(DISTINCT county_id) > 5)
          FROM timesheets`),
    ).toBe('t t 5 t');
    expect(await value(`SELECT max(paid_on) <= date '${TODAY}' FROM payments`)).toBe('t');
  });

  test('has the texts that break exports', async () => {
    for (const pattern of ['"', ',', '\n', '^=', '^[+]', '^-', '^@', 'ü', '👍', 'お', '^\\s'])
      expect(
        await value(`SELECT count(*) > 0 FROM timesheets WHERE comment ~ '${pattern}'`),
        pattern,
      ).toBe('t');
    expect(await value(`SELECT count(*) > 0 FROM providers WHERE name ~ ''''`)).toBe('t');
    expect(await value(`SELECT count(*) > 0 FROM timesheets WHERE comment IS NULL`)).toBe('t');
  });

  test.each([
    ['timesheets', ['county_id', 'provider_id', 'work_date', 'id']],
    ['payments', ['county_id', 'provider_id', 'paid_on', 'id']],
  ])(
    'a later chunk of %s is read along its index, by keys that are never NULL',
    async (table, keys) => {
      await reading(opened.source, async ({ describe: columns, explain, rows }) => {
        const list = keys.join(', ');
        const all = await columns(`SELECT ${list} FROM ${table}`);
        expect(all.map(({ notNull }) => notNull)).toEqual(keys.map(() => true));
        const [from = []] = await rows(
          `SELECT ${list} FROM ${table} ORDER BY ${list} OFFSET (SELECT count(*) / 2 FROM ${table}) LIMIT 1`,
        );
        const values = from.map((key, at) => `'${key}'::${all[at]?.type}`);
        const plan = await explain(
          `SELECT * FROM ${table} WHERE (${list}) > (${values.join(', ')}) ORDER BY ${list} LIMIT 10`,
        );
        const nodes = nodesOf(plan);
        expect(nodes.map((node) => node['Node Type'])).toEqual(['Limit', 'Index Scan']);
        expect(nodes[1]?.['Index Cond']).toContain('ROW(');
      });
    },
  );

  test('is the same again, another with another seed', async () => {
    await makeSample(opened.script, { rows: ROWS, today: TODAY });
    digests.add((await value(DIGEST)) ?? '');
    await makeSample(opened.script, { rows: ROWS, today: TODAY, seed: 2 });
    expect(digests).not.toContain(await value(DIGEST));
    // On the other kind of database too.
    expect(digests.size).toBe(1);
  });

  test('given up half-way is none, and the next one begins afresh', async () => {
    const control = new AbortController();
    const made = makeSample(opened.script, {
      rows: ROWS,
      today: TODAY,
      signal: control.signal,
      onStep: ({ makes }) => makes === 'timesheets' && control.abort(new Error('enough')),
    });
    await expect(made).rejects.toThrow('enough');
    expect(await sample()).toBeNull();
    expect(await ensureSample(opened.source, { today: TODAY, rows: 100 })).toBe(
      kind === 'embedded' ? 'made' : 'not ours',
    );
    if (kind === 'postgres') return;
    expect(await sample()).toMatchObject({ rows: 100 });
    expect(await ensureSample(opened.source, { today: TODAY })).toBe('there');
  });
});

test('a large one comes in steps of 50,000 rows, each of which brings it on', () => {
  const steps = sampleSteps({ rows: 1_000_000, today: TODAY });
  expect(steps.filter(({ makes }) => makes === 'timesheets')).toHaveLength(20);
  const ranges = steps.flatMap(({ sql }) =>
    [...sql.matchAll(/generate_series\((\d+)::bigint, (\d+)\)/g)].map(
      ([, from, to]) => Number(to) - Number(from) + 1,
    ),
  );
  expect(Math.max(...ranges)).toBe(50_000);
  const shares = steps.map(({ share }) => share);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(new Set(shares).size).toBe(shares.length);
  expect(shares.at(-1)).toBe(1);
});

test.each([
  [0, TODAY],
  [1.5, TODAY],
  [10, '20.11.2026'],
  [10, "2026-11-20'"],
])('there is none of %s rows up to %s', (rows, today) => {
  expect(() => sampleSteps({ rows, today })).toThrow(TypeError);
});

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
