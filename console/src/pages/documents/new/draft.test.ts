import { expect, test } from 'vitest';
import { type KeptDraft, byName, createDraft, isAbout, takenUp } from './draft.ts';
import { PLAIN_PDF } from './pdf-choice.ts';
import { type Filling, type TemplateField } from './match.ts';

const KEY = 'draft';

function memory() {
  const texts = new Map<string, string>();
  return {
    texts,
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
    removeItem: (key: string) => void texts.delete(key),
  };
}

const columns = ['Name', 'Answer until', 'Remarks'];
const mapping = new Map<string, Filling>([
  ['Candidate.Name', { column: 0, how: 'guess' }],
  ['AnswerBy', { column: 1, how: 'chosen' }],
  ['Phone', { same: '0911' }],
]);
const kept: KeptDraft = {
  template: 'offer',
  again: null,
  file: 'november.csv',
  columns,
  filled: byName(mapping, columns),
  output: { name: 'Offer {{Name}}', locale: 'en-GB', format: 'PDF', gaps: 'hold', pdf: PLAIN_PDF },
  dataLocale: 'en-GB',
  saveAs: 'offer',
};
const fields: TemplateField[] = ['Candidate.Name', 'AnswerBy', 'Phone', 'Note', 'Team'].map(
  (path) => ({ path, kind: 'value', required: true }),
);

test('a reload keeps what was decided; what has run, and what nobody can read, is gone', () => {
  const store = memory();
  createDraft(store, KEY).keep(kept);
  const after = createDraft(store, KEY);
  expect(after.kept()).toEqual(kept);
  expect(after.sheet()).toBeNull();
  expect(isAbout(after.kept(), 'offer', undefined)).toBe(true);
  expect(isAbout(after.kept(), 'offer', 'monthly')).toBe(false);

  after.finish('batch-3');
  expect([after.ran(), after.kept()]).toEqual(['batch-3', kept]);
  // Who comes back to its page changes nothing of that.
  after.keep(kept);
  expect(createDraft(store, KEY).kept()).toBeNull();

  store.setItem(KEY, '{"template":');
  expect(createDraft(store, KEY).kept()).toBeNull();
});

test('the same file again has the same columns for its fields, wherever they stand', () => {
  expect(Object.fromEntries(takenUp(kept, fields, columns))).toEqual(Object.fromEntries(mapping));
  const moved = takenUp(kept, fields, ['Team', 'Remarks', 'Answer until', 'Note']);
  expect(Object.fromEntries(moved)).toEqual({
    AnswerBy: { column: 2, how: 'chosen' },
    Phone: { same: '0911' },
    // A column that was not there before may fill what is open; Remarks was there, and nobody chose it.
    Team: { column: 0, how: 'same' },
    Note: { column: 3, how: 'same' },
  });
});
