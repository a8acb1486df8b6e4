import { describe, expect, test } from 'vitest';
import { stepsOf } from './paths.ts';

describe('the steps of a path', () => {
  test('lists, and keys with dots and brackets of their own', () => {
    expect(stepsOf('Order.Lines[].[Nr.].[a.[b][][]')).toEqual([
      { key: 'Order', lists: 0 },
      { key: 'Lines', lists: 1 },
      { key: 'Nr.', lists: 0 },
      { key: 'a.[b', lists: 2 },
    ]);
  });

  test('every path of up to seven such signs, as a pattern reads it', () => {
    // Clear, but its time grows with the square of a path.
    const pattern = /(?:^|\.)(?:\[([^\]]+)\]|([^.]*?))((?:\[\])*)(?=\.|$)/g;
    const bySigns = (path: string) =>
      [...path.matchAll(pattern)].map(([, bracketed, plain = '', lists = '']) => ({
        key: bracketed ?? plain,
        lists: lists.length / 2,
      }));
    let paths = [''];
    for (let length = 0; length <= 7; length++) {
      // Where a dot comes first, the pattern loses the key after it.
      for (const path of paths.filter((each) => !each.startsWith('.')))
        expect(stepsOf(path), path).toEqual(bySigns(path));
      paths = paths.flatMap((path) => ['a', '.', '[', ']'].map((sign) => path + sign));
    }
  });

  test.each(['[]', '[a.', '[', '.', 'a]'])('a megabyte of %s and a letter', (piece) => {
    expect(stepsOf(`${piece.repeat(500_000)}x`).length).toBeGreaterThan(0);
  });
});
