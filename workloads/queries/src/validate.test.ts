import type { BusinessUnit, Validation } from '@millrace/marketing-cloud';
import { describe, expect, test } from 'vitest';
import { problemsOf, validateSql } from './validate.ts';

const ALL = { enterpriseTables: true };

function asking(said: Partial<Validation> = {}) {
  const asked: string[] = [];
  const unit = {
    mid: '100001',
    async validate(sql: string) {
      asked.push(sql);
      return { valid: true, errors: [], warnings: [], ...said };
    },
  } as unknown as BusinessUnit;
  const fieldsOf = async () =>
    new Map([['customers', [{ name: 'Email', type: 'EmailAddress' as const }]]]);
  const { signal } = new AbortController();
  const namesOf = async () => ['Customers'];
  return { asked, asking: { unit, fieldsOf, namesOf, correlationId: 'c', signal } };
}

test('without Marketing Cloud, what is surely wrong is found with its place', async () => {
  expect(await validateSql('SELECT a AS A\nINTO t FROM x', ALL, null)).toMatchObject({
    valid: false,
    problems: [{ severity: 'error', code: 'into', line: 2, column: 1 }],
    columns: null,
    askedMarketingCloud: false,
  });
  expect(await validateSql('SELECT COUNT(*) AS N FROM _Open', ALL, null)).toMatchObject({
    valid: true,
    columns: [{ name: 'N', type: 'number' }],
  });
});

test('Marketing Cloud is asked only about what we find nothing wrong with', async () => {
  const bad = asking();
  await validateSql('DELETE FROM x', ALL, bad.asking);
  expect(bad.asked).toEqual([]);
  const good = asking({ warnings: ['Slow.'] });
  expect(await validateSql('SELECT * FROM Customers', ALL, good.asking)).toMatchObject({
    valid: true,
    problems: [{ severity: 'warning', code: 'marketing_cloud', message: 'Slow.', line: null }],
    columns: [{ name: 'Email', type: 'text' }],
    askedMarketingCloud: true,
  });
  const refused = asking({ valid: false });
  expect(await validateSql('SELECT 1 AS A', ALL, refused.asking)).toMatchObject({
    valid: false,
    problems: [{ message: 'Marketing Cloud refuses the query and does not say why.' }],
  });
});

test('the rows of somebody’s run cannot be queried by the name of their data extension', () => {
  expect(problemsOf('SELECT a\nFROM [Millrace-1a2b3c4d-12t]', ALL)).toMatchObject([
    { severity: 'error', code: 'temporary_data_extension', line: 2, column: 7 },
  ]);
  const message = 'millrace-1a2b3c4d-12-9f8e7dt holds the rows of a run.';
  expect(problemsOf('SELECT a FROM [millrace-1a2b3c4d-12-9f8e7dt]', ALL)).toMatchObject([
    { message: expect.stringContaining(message) as string },
  ]);
  expect(problemsOf('SELECT a FROM [millrace-report]', ALL)).toEqual([]);
});

describe('a table of the parent business unit', () => {
  const codes = (sql: string, rules = { enterpriseTables: false }) =>
    problemsOf(sql, rules).map(({ code }) => code);

  test.each([
    'SELECT a FROM Ent.Customers',
    'SELECT a FROM x WHERE b IN (SELECT b FROM ENT._Subscribers)',
    'SELECT a FROM [ent].[Customers]',
    'SELECT a FROM "Ent" /* x */ . Customers',
    'SELECT a FROM Ent.2024_Sales',
    'SELECT a FROM [Ent.Customers]',
    'SELECT a FROM \uFF25nt.Customers',
    'SELECT a FROM x CROSS APPLY (SELECT TOP 1 b FROM Ent.y) z',
  ])('is refused where tenants may not read it: %s', (sql) => {
    expect(codes(sql)).toContain('enterprise_table');
    expect(codes(sql, ALL)).not.toContain('enterprise_table');
  });

  test.each([
    'SELECT a FROM Entries WHERE b = 1.5',
    "SELECT 'Ent.x' AS A FROM t -- Ent.y",
    'SELECT t.Ent AS E FROM t',
  ])('is not what only looks like it: %s', (sql) => expect(codes(sql)).toEqual([]));

  test('is named with its place', () => {
    expect(problemsOf('SELECT a\nFROM Ent.x', { enterpriseTables: false })).toMatchObject([
      { severity: 'error', code: 'enterprise_table', line: 2, column: 6 },
    ]);
  });
});
