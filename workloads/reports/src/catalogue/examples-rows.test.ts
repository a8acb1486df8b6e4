import { join } from 'node:path';
import { bindNames } from '@millrace/sql-source';
import { resolveParameters } from '@millrace/workload-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type TestSource,
  openTestEmbedded,
  reading,
} from '../../../../connectors/sql-source/test/sources.ts';
import { decideRows } from '../identity/row-rules.ts';
import { rowSql } from '../identity/row-sql.ts';
import { boundValues, typesOf } from '../parameters/bind.ts';
import type { GivenParameters } from '../parameters/types.ts';
import { withRules } from '../run/row-sql.ts';
import { ensureSample } from '../sample/make.ts';
import { createCatalogue } from './catalogue.ts';
import type { Report } from './types.ts';

/*
 * Every report that ships, on the sample: what its file says about columns is so, and someone of one county gets the rows of
 * that county, all of them and no other.
 */
const TODAY = '2026-11-20';
const MOMENT = { now: Date.parse(`${TODAY}T12:00:00Z`), timeZone: 'UTC' };
const NAMES = [
  'counties',
  'daily-summary',
  'payments',
  'providers',
  'timesheet-detail',
  'timesheets',
];
/** With which each has rows of several counties. */
const GIVEN: Readonly<Record<string, GivenParameters>> = {
  'daily-summary': { business_date: '2026-09-25' },
  payments: { business_date: '2026-09-25' },
  'timesheet-detail': { from: '1 year ago', status: ['paid', 'approved'] },
  timesheets: { business_date: '2026-09-15' },
};

let opened: TestSource;
const reports = new Map<string, Report>();

beforeAll(async () => {
  opened = await openTestEmbedded();
  await ensureSample(opened.source, { today: TODAY, rows: 20_000 });
  const catalogue = createCatalogue({ folder: join(import.meta.dirname, '../../../../reports') });
  await catalogue.load();
  for (const { value } of catalogue.now().reports.values()) reports.set(value.name, value);
});
afterAll(() => opened.drop());

interface Seen {
  readonly columns: readonly string[];
  /** By county; the empty text where rows are of none. */
  readonly counties: ReadonlyMap<string, number>;
}

/** What someone with these roles and counties is shown. */
function shown(name: string, who: { roles?: string[]; county?: string[] }): Promise<Seen> {
  const report = reports.get(name);
  if (report === undefined) throw new Error(`There is no report "${name}".`);
  const { parameters, sql } = report;
  const resolved = resolveParameters(parameters, GIVEN[name] ?? {}, MOMENT);
  if ('problems' in resolved) throw new Error(JSON.stringify(resolved.problems));
  const bound = boundValues(parameters, resolved.values);
  const values = new Map(bound.map((each) => [each.name, each.value]));
  const { text } = bindNames(sql, typesOf(parameters), (each) => values.get(each) === null);
  const claims = who.county === undefined ? {} : { county: who.county };
  const identity = { name: 'ada', subject: 'a', service: null, roles: who.roles ?? [], claims };
  const decision = decideRows(report, identity);
  if (decision.see === 'nothing') return Promise.resolve({ columns: [], counties: new Map() });
  return reading(opened.source, async (source) => {
    await source.set(Object.fromEntries(values));
    const columns = await source.describe(text);
    const { where, bind, inside } = rowSql(
      decision,
      (column) => columns.find((each) => each.name === column)?.type ?? null,
    );
    await source.set(bind);
    const own = await withRules(source, text, inside);
    const county = columns.some((each) => each.name === 'county_id') ? 'county_id::text' : `''`;
    const rows = await source.rows(
      `SELECT ${county}, count(*) FROM (\n${own}\n) q WHERE ${where ?? 'TRUE'} GROUP BY 1`,
    );
    return {
      columns: columns.map((each) => each.name),
      counties: new Map(rows.map(([id, count]) => [id ?? '', Number(count)])),
    };
  });
}

test('all that ship are here', () => expect([...reports.keys()]).toEqual(NAMES));

describe.each(NAMES)('%s', (name) => {
  test('gives the columns that its file speaks of', async () => {
    const { columns } = await shown(name, { roles: ['admin'] });
    const { key = [], columns: described = [] } = reports.get(name) ?? {};
    expect(columns).toEqual(expect.arrayContaining([...key]));
    expect(columns.toSorted()).toEqual(described.map((each) => each.name).toSorted());
  });

  test('shows someone of one county all rows of it, and none of another', async () => {
    const all = (await shown(name, { roles: ['operator'] })).counties;
    if (reports.get(name)?.public === true) return expect(all.get('')).toBe(58);
    expect(all.size).toBeGreaterThan(5);
    for (const county of [...all.keys()].slice(0, 5)) {
      const { counties } = await shown(name, { roles: ['viewer', 'member'], county: [county] });
      expect([...counties]).toEqual([[county, all.get(county)]]);
    }
    expect((await shown(name, { roles: ['viewer'] })).counties.size).toBe(0);
    expect((await shown(name, { county: ['0', 'all', "1' OR TRUE --"] })).counties.size).toBe(0);
  });
});
