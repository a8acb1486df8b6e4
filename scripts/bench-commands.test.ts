// Figures name the command that repeats them: each such command must be one that there is.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Value, benches } from '../lab/bench/benches.mjs';

const root = join(import.meta.dirname, '..');
const known: Record<string, { options: Record<string, Value>; smoke: Record<string, Value> }> =
  benches;

const COMMAND = /(?:npm run bench --|node bench\/main\.mjs) ([^`#\n]+)/g;
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n');
const commands = pages.flatMap((page) =>
  [...readFileSync(join(root, page), 'utf8').matchAll(COMMAND)].map(([, words = '']) => ({
    page,
    words: words.trim(),
  })),
);

const readme = commands.filter(({ page }) => page === 'lab/bench/README.md');

test('documents name commands', () => {
  expect(commands.length).toBeGreaterThan(30);
});

test.each(commands)('$page: $words', ({ words }) => {
  const [name = '', ...rest] = words.split(/\s+/);
  if (words === '--smoke') return;
  const bench = known[name];
  expect(bench, name).toBeDefined();
  const given = rest.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
  expect(
    given.filter((option) => option !== 'smoke' && !(option in (bench?.options ?? {}))),
  ).toEqual([]);
});

describe.each(Object.entries(known))('%s', (name, { options, smoke }) => {
  test('has a module', () => {
    expect(readFileSync(join(root, 'lab/bench', `${name}.mjs`), 'utf8')).toMatch(
      /^export async function main\(/m,
    );
  });

  test('is made small by options that it has', () => {
    for (const [option, value] of Object.entries(smoke))
      expect(typeof value, option).toBe(typeof options[option]);
  });

  test('is in lab/bench/README.md', () => {
    expect(readme.map(({ words }) => words.split(' ')[0])).toContain(name);
  });
});
