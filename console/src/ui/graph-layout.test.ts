import { expect, test } from 'vitest';
import { NODE_HEIGHT, fitted, laidOut, pathOf, stagesOf, widthOf } from './graph-layout.ts';

test.each([
  [2, 1_200],
  [4, 816],
  [5, 816],
  [4, 700],
])('%i columns fit into %i px', (stages, available) => {
  const size = fitted(stages, available);
  expect(widthOf(stages, size?.node ?? Infinity, size?.gap ?? 0)).toBeLessThanOrEqual(available);
});

test('nodes stay as wide as can be read, and no wider than they were where there is room', () => {
  expect(fitted(4, 624)).toEqual({ node: 128, gap: 24 });
  expect(fitted(4, 623)).toBeNull(); // it would run off the edge
  expect(fitted(3, 2_000)).toEqual({ node: 196, gap: 72 });
  expect(fitted(3, null)).toEqual({ node: 196, gap: 72 });
});

const size = { node: 100, gap: 40 };

test('a line that passes a column runs beside its nodes, not behind them', () => {
  // c follows from a directly too, past b and its neighbours.
  const nodes = [
    { id: 'a', after: [] },
    { id: 'b1', after: ['a'] },
    { id: 'b2', after: ['a'] },
    { id: 'b3', after: ['a'] },
    { id: 'c', after: ['b1', 'b2', 'a'] },
    { id: 'd', after: ['c', 'a'] },
  ];
  const { places, lines, height } = laidOut(nodes, stagesOf(nodes), size);
  expect(lines.map(({ from, to }) => `${from}-${to}`).toSorted()).toEqual(
    nodes.flatMap(({ id, after }) => after.map((from) => `${from}-${id}`)).toSorted(),
  );
  const far = lines.filter(({ points }) => points.length > 2);
  expect(far.map(({ from, to }) => `${from}-${to}`)).toEqual(['a-c', 'a-d']);
  for (const { points } of far)
    for (const { left, y } of points.slice(1, -1)) {
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(height);
      for (const at of places.values())
        if (at.x === left) expect(y <= at.y || y >= at.y + NODE_HEIGHT).toBe(true);
    }
  expect(far[0] && pathOf(far[0])).toMatch(/^M120 [\d.]+C[^H]+H260C/);
});

test('places are swapped where lines would cross, and stay as given where none does', () => {
  const crossed = [
    { id: 'a', after: [] },
    { id: 'b', after: [] },
    { id: 'x', after: ['b'] },
    { id: 'y', after: ['a'] },
  ];
  const { places } = laidOut(crossed, stagesOf(crossed), size);
  const isAbove = (one: string, other: string) =>
    (places.get(one)?.y ?? 0) < (places.get(other)?.y ?? 0);
  expect(isAbove('a', 'b')).toBe(isAbove('y', 'x'));
});

test('a circle, or a node that is not there, has no line', () => {
  const odd = [
    { id: 'a', after: ['b', 'gone'] },
    { id: 'b', after: ['a'] },
  ];
  const { places, lines } = laidOut(odd, stagesOf(odd), size);
  expect([...places.keys()]).toEqual(['a', 'b']);
  expect(lines).toEqual([]);
});
