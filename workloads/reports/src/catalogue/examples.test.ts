import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARAMETER_TYPES } from '@millrace/workload-kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../test/catalogue.ts';
import { decideRows } from '../identity/row-rules.ts';
import { graphOf } from '../rules/graph.ts';
import { schedulesOf } from '../rules/schedules.ts';
import { createCatalogue } from './catalogue.ts';
import { reportFile } from './schema.ts';
import type { CatalogueView } from './types.ts';

const folder = join(import.meta.dirname, '../../../../reports');
const readme = readFileSync(join(folder, 'README.md'), 'utf8');
let view: CatalogueView;

beforeAll(async () => {
  const catalogue = createCatalogue({ folder });
  await catalogue.load();
  view = catalogue.now();
});

describe('the reports that ship', () => {
  test('are all good', () => {
    expect(view.troubled).toEqual([]);
    expect([...view.reports.keys()]).toEqual([
      'counties',
      'daily-summary',
      'payments',
      'providers',
      'timesheet-detail',
      'timesheets',
    ]);
  });

  test('show someone of one county that county alone, and nothing to someone of none', () => {
    const ada = { name: 'ada', subject: 'a', service: null, roles: ['viewer'], claims: {} };
    for (const { value: report } of view.reports.values()) {
      if (report.public) continue;
      expect(decideRows(report, ada).see).toBe('nothing');
      expect(decideRows(report, { ...ada, claims: { county: ['19'] } })).toEqual({
        see: 'some',
        where: [{ column: 'county_id', values: ['19'] }],
      });
    }
    expect([...view.reports.values()].filter(({ value }) => value.public)).toHaveLength(1);
  });

  test('are scheduled, and the summary waits for two of them', () => {
    expect(schedulesOf(view).map(({ name }) => name)).toEqual([
      'report:payments',
      'report:timesheets',
    ]);
    expect(graphOf(view).edges.map(({ from, to, kind }) => [from, to, kind])).toEqual([
      ['timesheets', 'daily-summary', 'all'],
      ['payments', 'daily-summary', 'all'],
    ]);
  });
});

describe('the README of the folder', () => {
  test('has a report that is good', async () => {
    const [, yaml = ''] = /```yaml\n([^`]+)```/.exec(readme) ?? [];
    const example = testFolder({ 'example.yaml': yaml });
    expect([...(await example.load()).reports.keys()]).toEqual(['example']);
    expect(example.problems()).toEqual([]);
  });
  test('names every field of a report, and every type of a parameter', () => {
    for (const name of [...Object.keys(reportFile.shape), ...PARAMETER_TYPES])
      if (name !== 'public') expect(readme).toContain(`\`${name}\``);
  });
});
