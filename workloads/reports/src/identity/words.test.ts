import { expect, test } from 'vitest';
import { decisionInWords, rulesInWords } from './words.ts';

test('row rules are told one by one', () => {
  expect(
    rulesInWords([
      { roles: ['admin', 'operator'], when: {}, see: 'all' },
      {
        roles: ['viewer'],
        when: { department: ['audit'] },
        see: [{ column: 'year', is: ['2026'] }],
      },
      { roles: null, when: {}, see: [{ column: 'county_id', claim: 'county' }] },
      { roles: null, when: {}, see: 'nothing' },
    ]),
  ).toEqual([
    'With the role admin or operator: all rows.',
    'With the role viewer and the claim "department" of audit: rows whose year is 2026.',
    'With the claim "county": rows whose county_id is in the claim "county".',
    'Everybody else: no rows.',
  ]);
});

test('what someone sees is told in a sentence', () => {
  expect(decisionInWords({ see: 'everything' })).toBe('All rows.');
  expect(decisionInWords({ see: 'nothing', why: 'Why.' })).toBe('No rows. Why.');
  const where = [
    { column: 'county_id', values: ['19', '20'] },
    { column: 'open', values: ['true'] },
  ];
  expect(decisionInWords({ see: 'some', where })).toBe(
    'Rows whose county_id is 19 or 20 and whose open is true.',
  );
});
