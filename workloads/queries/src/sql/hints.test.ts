import { expect, test } from 'vitest';
import { hintFor } from './hints.ts';

const unknown = (name: string): string =>
  `${name} is not a known data extension or system data view. You can only query existing data extensions or system data views.`;

test.each<[message: string, hint: string]>([
  [unknown('_Jobb'), 'Did you mean _Job?'],
  [unknown('Subscribers'), 'Did you mean _Subscribers?'],
  [unknown('[_Snet]'), 'Did you mean _Sent?'],
  [unknown('Customers'), 'The catalog (millrace catalog) lists'],
  ["Invalid column name 'Nope'.", 'lists the fields of a table'],
  ["Invalid column name 'Newsletter 1'.", `write 'Newsletter 1' for text`],
])('%s', (message, hint) => {
  const sql = 'SELECT Nope FROM _Job WHERE EmailName = "Newsletter 1"';
  expect(hintFor(sql, message)).toContain(hint);
});

test('a name that is far from every data view gets no guess, and other refusals no hint', () => {
  expect(hintFor('', unknown('Customers'))).not.toContain('Did you mean');
  expect(hintFor('', 'Divide by zero error encountered.')).toBe('');
});
