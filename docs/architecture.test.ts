import { readFileSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { layersOf } from '../scripts/layers.mjs';
import { drawArchitecture } from '../scripts/picture.mjs';

const root = join(import.meta.dirname, '..');

it('architecture.svg is what the tree draws; node scripts/picture.mjs writes it again', async () => {
  expect(await readFile(join(root, 'docs/architecture.svg'), 'utf8')).toBe(drawArchitecture(root));
});

const uses = new Map([
  ['top', ['left', 'right', 'ground']],
  ['left', ['ground']],
  ['right', []],
  ['ground', []],
]);

it('a package stands below those that import it, and a line that passes a row has its place there', () => {
  const rows = layersOf(new Map([...uses, ['top', ['left', 'right']], ['other', ['ground']]]), 5);
  expect(
    rows.map((row) =>
      row
        .filter(({ box }) => box)
        .map(({ key }) => key)
        .toSorted(),
    ),
  ).toEqual([['other', 'top'], ['left', 'right'], ['ground']]);
  expect(rows[1]?.filter(({ box }) => !box)).toEqual([
    { key: 'other to ground', box: false, below: ['ground'] },
  ]);
});

it('an import that another import leads to has no line of its own', () => {
  const [top] = layersOf(uses, 5)[0] ?? [];
  expect(top?.below.toSorted()).toEqual(['left', 'right']);
});

it('a row with more packages than the picture has room for becomes two', () => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f'];
  const rows = layersOf(new Map(many.map((name) => [name, ['ground']])).set('ground', []), 5);
  expect(rows.map((row) => row.filter(({ box }) => box).length)).toEqual([3, 3, 1]);
});

it('packages are ordered so that lines do not cross where they need not', () => {
  const crossed = new Map([
    ['a', ['z']],
    ['b', ['y']],
    ['y', []],
    ['z', []],
  ]);
  const [above = [], below = []] = layersOf(crossed, 5);
  expect(above.map(({ below: to }) => to[0])).toEqual(below.map(({ key }) => key));
});

it('packages that import each other are refused, not drawn for ever', () => {
  const circle = new Map([
    ['a', ['b']],
    ['b', ['a']],
  ]);
  expect(() => layersOf(circle, 5)).toThrow('a imports itself');
});

const EXAMPLE = /: `([^`]+)`, (\d+) files/;

/** "Where do I change …": a row with an example claims how many files name it, and links each, or the folder above it. */
describe('a row with an example names every file of it', async () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && EXAMPLE.test(line));
  const sources = await sourcesBelow(root);

  it.each(rows.map((row) => [row.slice(2).split(' |')[0] ?? '', row] as const))('%s', (_, row) => {
    const [, example = '', claimed] = EXAMPLE.exec(row) ?? [];
    const whole = new RegExp(`(?<!\\w)${example}(?![\\w-])`);
    const named = sources.filter(({ text }) => whole.test(text)).map(({ path }) => path);
    const links = [...row.matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) =>
      relative(root, join(root, 'docs', link)),
    );
    const unlinked = named.filter(
      (path) => !links.some((link) => path === link || path.startsWith(`${link}/`)),
    );
    expect({ named, unlinked }).toEqual({ named, unlinked: [] });
    expect(named).toHaveLength(Number(claimed));
  });

  it('and there are such rows', () => expect(rows.length).toBeGreaterThan(5));
});

const LEFT_OUT = /^(bench|chaos|dist|node_modules|build|test|__tests__|decisions|\..*)$/;
const SOURCE = /(?<!\.test)\.(ts|tsx|mjs|md|json)$/;
const NO_SOURCE = new Set(['package-lock.json', 'CHANGELOG.md', 'docs/architecture.md']);

/** Files that people change by hand, with those that a command writes from them; no tests. */
async function sourcesBelow(folder: string): Promise<{ path: string; text: string }[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const at = join(folder, entry.name);
      const path = relative(root, at);
      if (entry.isDirectory()) return LEFT_OUT.test(entry.name) ? [] : sourcesBelow(at);
      if (!entry.isFile() || !SOURCE.test(path) || NO_SOURCE.has(path)) return [];
      return [{ path, text: await readFile(at, 'utf8') }];
    }),
  );
  return found.flat();
}
