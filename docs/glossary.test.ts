import { expect, it } from 'vitest';
import { textOf } from './test/tree.ts';

/** Each word has a sentence, and a link to where it is at home: docs/links.test.ts sees to it that the link leads somewhere. */

const entries = textOf('docs/glossary.md')
  .split(/^### /m)
  .slice(1)
  .map((entry) => {
    const [word = '', ...lines] = (entry.split(/^## /m)[0] ?? '').trim().split('\n');
    return { word, text: lines.join(' ') };
  });

it.each(entries)('$word has a sentence and a link', ({ text }) => {
  expect(text).toMatch(/^[A-Z`].+\.( |\)|$)/);
  expect(text).toMatch(/\]\([^)]+\)/);
});

/** The words that a reader of the code meets first, and that mean something else elsewhere. */
it.each(
  'Lease,Epoch,Settle,Take-over,Hand-back,Gate,Suspect,Chunk,Defer,Claim,Fence,Checkpoint'.split(
    ',',
  ),
)('has %s', (word) => {
  expect(entries.map((entry) => entry.word)).toContain(word);
});

it('has each word once', () => {
  const words = entries.map(({ word }) => word);
  expect(words).toEqual([...new Set(words)]);
});
