import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sectionsOf } from '../test/markdown.ts';

// What each section of the runbook has. Its commands are run by runbook.long.test.ts.

const sections = sectionsOf(readFileSync(join(import.meta.dirname, 'runbook.md'), 'utf8'));
const [preface, ...symptoms] = sections;

it('has a section for each symptom', () => {
  expect(preface?.title).toBe('Before you begin');
  expect(symptoms).toHaveLength(30);
});

it.each(symptoms)(
  '"$title" says what one sees, where to look, what it means, what to do',
  ({ text }) => {
    const parts = ['**You see**', '**First look**', '**It means**', '**Do**'].map((part) =>
      text.indexOf(part),
    );
    expect(parts).not.toContain(-1);
    expect(parts).toEqual(parts.toSorted((a, b) => a - b));
    expect(text.slice(text.indexOf('**First look**')).split('**It means**')[0]).toContain('```sh');
    expect(text.slice(text.indexOf('**Do**'))).toContain('```sh');
  },
);

it('leads to sections that there are', () => {
  const links = sections.flatMap(({ text }) => [...text.matchAll(/\]\(#([^)]+)\)/g)]);
  const anchors = sections.map(({ anchor }) => anchor);
  expect(
    links.map(([, anchor]) => anchor).filter((anchor = '') => !anchors.includes(anchor)),
  ).toEqual([]);
});
