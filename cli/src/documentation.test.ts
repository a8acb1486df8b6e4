import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { GLOBAL_OPTIONS } from './line/arguments.ts';
import { EXIT_CODES } from './line/exit.ts';
import { commands } from './main.ts';

const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');

/** A row of the first table: what `millrace NAME …` does. */
function rowOf(name: string): string {
  const row = page
    .split('\n')
    .find((line) => new RegExp(`^\\| \`millrace ${name}[ \`]`).test(line));
  return row ?? '';
}

/** What the page says of a command further below, under a heading of its own; a row leads there by [More]. */
function sectionOf(row: string): string {
  const [, anchor] = /\[More\]\(#([a-z-]+)\)/.exec(row) ?? [];
  if (anchor === undefined) return '';
  const [, section] = page.split(`\n### ${anchor.replaceAll('-', ' ')}\n`);
  expect(section, `the heading of ${anchor}`).toBeDefined();
  return section?.split(/\n##/)[0] ?? '';
}

function optionsIn(text: string): string[] {
  return [...text.matchAll(/--([a-z][a-z-]*)/g)].map(([, name = '']) => name);
}

describe('docs/cli.md', () => {
  const filters = page.split('\n').find((line) => line.startsWith('*filters*')) ?? '';

  test.each(commands)(
    'has millrace $name, with each of its options and no other',
    ({ name, options }) => {
      const row = rowOf(name);
      expect(row).not.toBe('');
      const text = row + sectionOf(row);
      const said = [...optionsIn(text), ...(text.includes('*filters*') ? optionsIn(filters) : [])];
      expect([...new Set(said)].toSorted()).toEqual(Object.keys(options).toSorted());
    },
  );

  // The page of the tutorial, whose commands a test runs.
  test.each(['generate', 'batch'])('shows %s with commands of the tutorial', (name) => {
    const tutorial = readFileSync(new URL('../../docs/documents.md', import.meta.url), 'utf8');
    const shown = sectionOf(rowOf(name)).match(/^npx millrace .+$/gm) ?? [];
    expect(shown.length).toBeGreaterThan(1);
    for (const command of shown) expect(tutorial.split('\n')).toContain(command);
  });

  test('has no command that there is not', () => {
    const said = [...page.matchAll(/^\| `millrace ([a-z]+)/gm)].map(([, name]) => name);
    expect(said).toEqual(commands.map(({ name }) => name));
  });

  test.each(Object.entries(GLOBAL_OPTIONS))(
    'has the option --%s of every command',
    (name, { short }) => {
      expect(page).toMatch(new RegExp(`^\\| \`--${name}[ \`]`, 'm'));
      if (short !== undefined) expect(page).toContain(`\`-${short}\``);
    },
  );

  test.each(Object.values(EXIT_CODES))('has the exit code $code', ({ code, meaning }) => {
    expect(page).toContain(`| ${code} | ${meaning} |`);
  });
});
