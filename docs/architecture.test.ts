import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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
