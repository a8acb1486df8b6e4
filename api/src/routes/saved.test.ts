import { expect, test } from 'vitest';
import { savedContracts } from './saved.ts';

test.each([
  ['Failed this week', true],
  ['1', true],
  ['a space at its end ', false],
  ['what nobody sees at its end\u2800', false],
  ['what nobody sees within\u2800it', false],
])('a name for what is saved: %j is one: %s', (name, isOne) => {
  expect(savedContracts.putSaved.params.safeParse({ what: 'views', name }).success).toBe(isOne);
});
