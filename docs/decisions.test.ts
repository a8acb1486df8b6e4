import { describe, expect, it } from 'vitest';
import { filesOf, textOf } from './test/tree.ts';

// A decision that no code names is not found by those who are about to undo it.

const files = filesOf(/^\d{4}-.+\.md$/, 'docs/decisions').map(
  (file) => file.split('/').at(-1) ?? '',
);
const numbers = files.map((file) => file.slice(0, 4));
const sources = filesOf(/\.(ts|mjs|sql|cls)$/)
  .filter((file) => !/\.test\.ts$|(^|\/)test\//.test(file))
  .map((file) => ({ file, text: textOf(file) }));
const named = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/docs\/decisions\/([\w-]*)(\.md)?/g)].map(([, name = '']) => ({ file, name })),
);

it('each has a number of its own, which its title repeats', () => {
  expect(new Set(numbers).size).toBe(files.length);
  const titles = files.map((file) => textOf(`docs/decisions/${file}`).slice(0, 7));
  expect(titles).toEqual(numbers.map((number) => `# ${number}:`));
});

describe.each(files)('%s', (file) => {
  it('is in the table, with its status', () => {
    const row = textOf('docs/decisions/README.md')
      .split('\n')
      .find((line) => line.includes(`(${file})`));
    expect(row).toMatch(/^\| (\d{4}) \| .+ \| .+ \| (in force|superseded by \d{4})[^|]* \|$/);
    expect(row).toContain(`| ${file.slice(0, 4)} |`);
  });

  it('is named where the code that it explains stands', () => {
    expect(named.filter(({ name }) => name.startsWith(file.slice(0, 4)))).not.toEqual([]);
  });
});

it('code names only decisions that there are', () => {
  const known = new Set([...numbers, ...files.map((file) => file.replace('.md', ''))]);
  expect(named.filter(({ name }) => !known.has(name))).toEqual([]);
});
