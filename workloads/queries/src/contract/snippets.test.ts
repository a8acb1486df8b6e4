import { expect, test } from 'vitest';
import { snippetContracts } from './snippets.ts';

test.each([
  ['opens by day', true],
  ['a space at its end ', false],
])('a name of a snippet: %j is one: %s', (name, isOne) => {
  expect(snippetContracts.getSnippet.params.safeParse({ name }).success).toBe(isOne);
});
