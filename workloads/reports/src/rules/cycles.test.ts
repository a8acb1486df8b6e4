import { type Dice, createDice } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { type Parents, cyclesOf } from './cycles.ts';

const parentsOf = (edges: Readonly<Record<string, readonly string[]>>): Parents =>
  new Map(Object.entries(edges));

test('the report that closes a cycle is one that has changed, and the path says how', () => {
  const circle = parentsOf({ a: ['b'], b: ['c'], c: ['a'], d: ['a'] });
  expect(cyclesOf(circle, new Set(['b']))).toEqual([{ closing: 'b', path: ['b', 'a', 'c', 'b'] }]);
  expect(cyclesOf(circle, new Set(['a', 'b', 'c', 'd']))[0]?.closing).toBe('c');
  expect(cyclesOf(circle, new Set())[0]?.closing).toBe('c');
});

test('a report that follows from itself is a cycle of one', () => {
  expect(cyclesOf(parentsOf({ a: ['a'] }), new Set(['a']))).toEqual([
    { closing: 'a', path: ['a', 'a'] },
  ]);
});

test('a chain that is longer than the stack is deep is no trouble', () => {
  const length = 20_000;
  const name = (index: number) => String(index % length).padStart(5, '0');
  const chain = new Map(Array.from({ length }, (_, index) => [name(index), [name(index + 1)]]));
  expect(cyclesOf(chain, new Set([name(7)]))[0]?.path).toHaveLength(length + 1);
});

/** Whether reports can be put in an order in which parents come first: what no cycle means, found in another way. */
function canBeOrdered(parents: Parents): boolean {
  const left = new Map(parents);
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const [name, of] of left) if (!of.some((parent) => left.has(parent))) left.delete(name);
  }
  return left.size === 0;
}

function someParents(dice: Dice): Parents {
  const names = Array.from({ length: dice.integer(1, 9) }, (_, index) => `r${index}`);
  return new Map(names.map((name) => [name, dice.some([...names, 'gone'], dice.between(0, 0.3))]));
}

test('generated rules: a cycle is found where there is one, it is one, and without those who close them none is left', () => {
  const dice = createDice('cycles');
  let circling = 0;
  for (let round = 0; round < 3_000; round += 1) {
    const parents = someParents(dice);
    const changed = new Set(dice.some([...parents.keys()], 0.5));
    const found = cyclesOf(parents, changed);
    expect(found.length === 0).toBe(canBeOrdered(parents));
    circling += Math.min(found.length, 1);
    for (const { closing, path } of found) {
      expect(path[0]).toBe(closing);
      expect(path.at(-1)).toBe(closing);
      for (const [index, child] of path.slice(1).entries())
        expect(parents.get(child)).toContain(path[index]);
      if (path.some((name) => changed.has(name))) expect(changed.has(closing)).toBe(true);
    }
    const closing = new Set(found.map((each) => each.closing));
    const opened = new Map([...parents].map(([name, of]) => [name, closing.has(name) ? [] : of]));
    expect(canBeOrdered(opened)).toBe(true);
  }
  expect(circling).toBeGreaterThan(300);
});
