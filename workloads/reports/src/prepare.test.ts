import { expect, test } from 'vitest';
import { SERVICES_FILE, simpleReport, testFolder } from '../test/catalogue.ts';
import { fileNameOf } from './catalogue/outputs.ts';
import { reportJobSchema } from './job-data.ts';
import { prepareReport } from './prepare.ts';

const NOW = Date.UTC(2026, 0, 31, 12);
const ada = {
  name: 'ada',
  subject: 'a-1',
  roles: ['member' as const],
  tenants: null,
  claims: { county: ['19'], salary: ['high'] },
  expiresAt: null,
};

async function prepared(changes: Partial<Parameters<typeof prepareReport>[1]> = {}) {
  const folder = testFolder({
    'services.yaml': SERVICES_FILE,
    'it.yaml': simpleReport('outputs: { formats: [csv, xlsx], compression: gzip }\n'),
    'broken.yaml': 'title: [\n',
  });
  return prepareReport(await folder.load(), {
    report: 'it',
    parameters: { day: 'yesterday' },
    output: {},
    caller: ada,
    now: NOW,
    ...changes,
  });
}

test('what someone asks for becomes the data of a job', async () => {
  const result = await prepared();
  expect(result).toMatchObject({
    job: {
      report: 'it',
      parameters: { day: 'yesterday' },
      output: { format: 'csv', compression: 'gzip' },
      identity: { name: 'ada', roles: ['member'], claims: { county: ['19'] }, service: null },
    },
    decision: { see: 'some', where: [{ column: 'county_id', values: ['19'] }] },
  });
  expect(JSON.stringify(result)).not.toContain('salary');
  expect('job' in result && reportJobSchema.safeParse(result.job).success).toBe(true);
});

test.each([
  [{ report: 'ti' }, 'report_not_found', /There is no report "ti". Did you mean "it"\?/],
  [{ report: 'broken' }, 'report_not_found', /problems in its file: broken\.yaml, line 2/],
  [{ parameters: {} }, 'invalid_parameters', /^day: Give it a value\.$/],
  [
    { parameters: { day: 'x', dya: 'y' } },
    'invalid_parameters',
    /dya: .*Did you mean "day".* day: Write a date/,
  ],
  [{ output: { format: 'parquet' as const } }, 'invalid_format', /written as csv, xlsx/],
  [
    { output: { format: 'xlsx' as const, compression: 'gzip' as const } },
    'invalid_format',
    /compressed in itself/,
  ],
  [{ caller: { ...ada, claims: {} } }, 'claim_missing', /the role admin or the claim county/],
])('%j is refused: %s', async (changes, why, message) => {
  expect(await prepared(changes)).toMatchObject({
    refused: { why, message: expect.stringMatching(message) },
  });
});

test('xlsx is not compressed once more, and gzip can be waived', async () => {
  expect(await prepared({ output: { format: 'xlsx' } })).toMatchObject({
    job: { output: { format: 'xlsx', compression: null } },
  });
  expect(await prepared({ output: { compression: 'none' } })).toMatchObject({
    job: { output: { format: 'csv', compression: null } },
  });
});

test.each([
  ['it-{day}', { day: '2026-01-30' }, 'it-2026-01-30.csv.gz'],
  ['{report} {p}', { p: '2026-01-01..2026-01-31' }, 'it 2026-01-01-to-2026-01-31.csv.gz'],
  ['{p}', { p: null }, 'all.csv.gz'],
  ['{p}', { p: ['b', 'c'] }, 'b-c.csv.gz'],
  ['{p}', { p: '../../etc/passwd' }, 'to-to-etc-passwd.csv.gz'],
  ['{p}', { p: '\u0000"; rm -rf /\r\n' }, 'rm-rf.csv.gz'],
  ['{p}', { p: 'Größe 7' }, 'Größe-7.csv.gz'],
  ['{p}{p}{p}', { p: 'x'.repeat(1_000) }, `${'x'.repeat(150)}.csv.gz`],
  ['{created}-{job}', {}, '2026-01-31-pg-7.csv.gz'],
])('a file %s of %j is named %s', (file, parameters, name) => {
  const outputs = { formats: ['csv' as const], compression: null, file };
  const job = {
    id: 'pg-7',
    created: '2026-01-31',
    parameters,
    output: { format: 'csv', compression: 'gzip' } as const,
  };
  expect(fileNameOf({ name: 'it', outputs }, job)).toBe(name);
});
