import type { BusinessUnit, Validation } from '@millrace/marketing-cloud';
import { expect, test } from 'vitest';
import { problemsOf, validateSql } from './validate.ts';

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
  return { asked, asking: { unit, fieldsOf, correlationId: 'c', signal } };
}

test('without Marketing Cloud, what is surely wrong is found with its place', async () => {
  expect(await validateSql('SELECT a AS A\nINTO t FROM x', null)).toMatchObject({
    valid: false,
    problems: [{ severity: 'error', code: 'into', line: 2, column: 1 }],
    columns: null,
    askedMarketingCloud: false,
  });
  expect(await validateSql('SELECT COUNT(*) AS N FROM _Open', null)).toMatchObject({
    valid: true,
    columns: [{ name: 'N', type: 'number' }],
  });
});

test('Marketing Cloud is asked only about what we find nothing wrong with', async () => {
  const bad = asking();
  await validateSql('DELETE FROM x', bad.asking);
  expect(bad.asked).toEqual([]);
  const good = asking({ warnings: ['Slow.'] });
  expect(await validateSql('SELECT * FROM Customers', good.asking)).toMatchObject({
    valid: true,
    problems: [{ severity: 'warning', code: 'marketing_cloud', message: 'Slow.', line: null }],
    columns: [{ name: 'Email', type: 'text' }],
    askedMarketingCloud: true,
  });
  const refused = asking({ valid: false });
  expect(await validateSql('SELECT 1 AS A', refused.asking)).toMatchObject({
    valid: false,
    problems: [{ message: 'Marketing Cloud refuses the query and does not say why.' }],
  });
});

test('the rows of somebody’s run cannot be queried by the name of their data extension', () => {
  expect(problemsOf('SELECT a\nFROM [Millrace-1a2b3c4d-12t]')).toMatchObject([
    { severity: 'error', code: 'temporary_data_extension', line: 2, column: 7 },
  ]);
  expect(problemsOf('SELECT a FROM [millrace-report]')).toEqual([]);
});
