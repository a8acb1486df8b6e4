import { expect, test } from 'vitest';
import { type Filling, fieldsOf } from '../new/match.ts';
import { PLAIN_PDF } from '../new/pdf-choice.ts';
import { type SavedBatch, doAgain, filledOf, inSentences, savedBatch } from './again.ts';

const field = (path: string, required = true) => ({
  path,
  kind: 'value' as const,
  required,
  conditional: false,
});
const fields = fieldsOf({
  fields: [field('Name'), field('AnswerBy'), field('Phone'), field('Note', false), field('Team')],
});
const columns = ['Name', 'Full name', 'Answer until', 'Note', 'Team'];
const mapping = new Map<string, Filling>([
  ['Name', { column: 1, how: 'chosen' }],
  ['AnswerBy', { column: 2, how: 'chosen' }],
  ['Phone', { same: '0911' }],
  ['Team', { empty: true }],
]);
const saved: SavedBatch = {
  template: 'offer',
  version: 3,
  columns,
  fields: fields.map(({ path }) => path),
  filled: filledOf(mapping, columns),
  output: { name: 'Offer {{Name}}', locale: 'en-GB', format: 'PDF', gaps: 'hold', pdf: PLAIN_PDF },
  dataLocale: 'en-GB',
  rows: 12,
};

test('what was done is done again by the names of the columns, wherever they stand now', () => {
  expect(savedBatch.parse(JSON.parse(JSON.stringify(saved)))).toEqual(saved);
  const { mapping: again, changes } = doAgain(saved, {
    fields,
    columns: ['Team', 'Answer until', 'Note', 'Name', 'Full name'],
    version: 3,
  });
  // A column that has the name of a field, and was not chosen, is not chosen now; nor is what was left open.
  expect(Object.fromEntries(again)).toEqual({
    Name: { column: 4, how: 'last' },
    AnswerBy: { column: 1, how: 'last' },
    Phone: { same: '0911' },
    Team: { empty: true },
  });
  expect(inSentences(changes)).toEqual([]);
});

test('what changed is reported, and what cannot be known is a guess', () => {
  const now = fieldsOf({
    fields: [field('Name'), field('AnswerBy'), field('Phone'), field('Salary')],
  });
  const { mapping: again, changes } = doAgain(saved, {
    fields: now,
    columns: ['Full name', 'Answer by', 'salary', 'Note'],
    version: 4,
  });
  expect(again.get('Name')).toEqual({ column: 0, how: 'last' });
  expect(again.get('AnswerBy')).toEqual({ column: 1, how: 'same' });
  expect(again.get('Salary')).toEqual({ column: 2, how: 'same' });
  expect(again.has('Team')).toBe(false);
  expect(inSentences(changes)).toEqual([
    'The column “Answer until”, used for AnswerBy, is missing.',
    'A field is new: Salary.',
    'Columns are new: “Answer by”, “salary”.',
    'Columns that nothing used are missing: “Name”, “Team”.',
    'The template no longer has Note, Team.',
    'The template is now version 4; it was 3.',
  ]);
});
