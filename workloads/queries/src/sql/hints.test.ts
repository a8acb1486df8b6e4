import type { Field } from '@millrace/marketing-cloud';
import { expect, test } from 'vitest';
import { hintFor } from './hints.ts';

const unknown = (name: string): string =>
  `${name} is not a known data extension or system data view. You can only query existing data extensions or system data views.`;

const field = (name: string): Field => ({ name, type: 'Text' });
const KNOWN = {
  mid: '1',
  fieldsOf: async (_mid: string, names: readonly string[]) =>
    new Map(
      names
        .filter((name) => name.toLowerCase() === 'customers')
        .map((name) => [name.toLowerCase(), [field('EmailAddress'), field('Postal Code')]]),
    ),
  namesOf: async () => ['Customers', 'Orders of 2026'],
};

test.each<[message: string, hint: string]>([
  [unknown('_Jobb'), 'Did you mean _Job?'],
  [unknown('Subscribers'), 'Did you mean _Subscribers?'],
  [unknown('[_Snet]'), 'Did you mean _Sent?'],
  [unknown('Ent._Snet'), 'Did you mean _Sent?'],
  [unknown('Costumers'), 'Did you mean Customers? The catalog (millrace catalog) lists'],
  ["Invalid column name 'EmailAdress'.", 'Did you mean EmailAddress? The catalog'],
  ["Invalid column name 'EmialName'.", 'Did you mean EmailName?'],
  [
    "Invalid column name 'Nope'.",
    'The catalog (millrace catalog NAME) lists the fields of a table',
  ],
  ["Invalid column name 'Newsletter 1'.", `write 'Newsletter 1' for text`],
])('%s', async (message, hint) => {
  const sql =
    'SELECT Nope, EmailAdress, EmialName FROM _Job j JOIN customers c ON 1 = 1 WHERE EmailName = "Newsletter 1"';
  expect(await hintFor(sql, message, KNOWN)).toContain(hint);
});

test('a name that is far from every other gets no guess, and other refusals no hint', async () => {
  for (const name of ['Wholesale', 'Ent.Customer'])
    expect(await hintFor('', unknown(name), KNOWN)).not.toContain('Did you mean');
  expect(await hintFor('', 'Divide by zero error encountered.', KNOWN)).toBe('');
});
