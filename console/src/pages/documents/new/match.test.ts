import { describe, expect, test } from 'vitest';
import type { Lint } from '../types.ts';
import { agreed, autoMatch, dataOf, fieldsOf, letterOf, likeness, readingOf } from './match.ts';

function field(path: string, more: Partial<Lint['fields'][number]> = {}): Lint['fields'][number] {
  return { path, kind: 'value', required: true, conditional: false, ...more };
}

describe('the fields of a template', () => {
  test('are those that a cell can fill, each once', () => {
    const fields = fieldsOf({
      fields: [
        field('Name'),
        field('Name'),
        field('Buyer', { kind: 'condition', required: false }),
        field('Buyer.City'),
        field('Lines', { kind: 'list' }),
        field('Lines[].Price'),
      ],
    });
    expect(fields).toEqual([
      { path: 'Name', kind: 'value', required: true },
      { path: 'Buyer.City', kind: 'value', required: false },
    ]);
  });
});

test('all guesses are agreed to at once, and nothing else changes', () => {
  const mapping = new Map([
    ['a', { column: 0, how: 'guess' as const }],
    ['b', { column: 1, how: 'same' as const }],
    ['c', { same: '' }],
    ['d', { column: 2, how: 'guess' as const }],
  ]);
  expect([...agreed(mapping).values()]).toEqual([
    { column: 0, how: 'chosen' },
    { column: 1, how: 'same' },
    { same: '' },
    { column: 2, how: 'chosen' },
  ]);
});

describe('columns find their fields', () => {
  const fields = fieldsOf({
    fields: [field('AnswerBy'), field('StartDate'), field('Manager.Phone'), field('Team')],
  });

  test('by name, by the last choice, by a guess; and no column fills two', () => {
    const columns = ['Answer until', 'start date', 'Boss', 'Phone'];
    const mapping = autoMatch(fields, columns, { Team: 'Boss' });
    expect(Object.fromEntries(mapping)).toEqual({
      StartDate: { column: 1, how: 'same' },
      Team: { column: 2, how: 'last' },
      'Manager.Phone': { column: 3, how: 'guess' },
      AnswerBy: { column: 0, how: 'guess' },
    });
  });

  test('and what has nothing in common stays alone', () => {
    expect(likeness('Remarks', 'AnswerBy')).toBeLessThan(0.5);
    expect(autoMatch(fields, ['Remarks']).size).toBe(0);
  });
});

test('the service reads a column under the name of its field, and nothing stands there twice', () => {
  const mapping = new Map([
    ['Name', { column: 1, how: 'chosen' as const }],
    ['Phone', { same: '0911' }],
    ['Note', { empty: true as const }],
  ]);
  expect(readingOf(mapping, ['Name', 'Full name', 'Note', 'Other'])).toEqual({
    columns: { 'Full name': 'Name', Name: 'Name (not used)', Note: 'Note (not used)' },
    same: { Phone: '0911' },
  });
});

test('a row becomes a record', () => {
  const fields = fieldsOf({ fields: [field('Buyer.Name'), field('Note', { required: false })] });
  const mapping = autoMatch(fields, ['Buyer.Name', 'Note']);
  expect(dataOf(mapping, ['Ann', 'x'])).toEqual({ Buyer: { Name: 'Ann' }, Note: 'x' });
});

test('columns have letters as in spreadsheets', () => {
  expect([0, 25, 26, 701, 702].map(letterOf)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA']);
});
