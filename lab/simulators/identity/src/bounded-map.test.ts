import { describe, expect, test } from 'vitest';
import { createBoundedMap } from './bounded-map.ts';

function create(most: number) {
  const clock = { now: 0 };
  const map = createBoundedMap<number>({ most, lifetimeMs: 100, now: () => clock.now });
  return { clock, map };
}

describe('a bounded map', () => {
  test('forgets what is too old, to the millisecond', () => {
    const { clock, map } = create(10);
    map.set('a', 1);
    clock.now = 99;
    expect(map.get('a')).toBe(1);
    clock.now = 100;
    expect(map.get('a')).toBeUndefined();
  });

  test('lets go of what is too old when something new comes', () => {
    const { clock, map } = create(10);
    map.set('a', 1);
    map.set('b', 2);
    clock.now = 50;
    map.set('c', 3);
    clock.now = 120;
    map.set('d', 4);
    expect(map.size).toBe(2);
    expect(map.get('c')).toBe(3);
  });

  test('makes room for the newest by forgetting the oldest, and never grows beyond its size', () => {
    const { map } = create(3);
    for (const [at, key] of ['a', 'b', 'c', 'd'].entries()) map.set(key, at);
    expect([map.size, map.get('a'), map.get('b'), map.get('d')]).toEqual([3, undefined, 1, 3]);
  });

  test('keeps one entry for a key, as new as its last value', () => {
    const { map } = create(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 3);
    map.set('c', 4);
    expect([map.size, map.get('a'), map.get('b')]).toEqual([2, 3, undefined]);
    map.delete('a');
    expect([map.size, map.get('a')]).toEqual([1, undefined]);
  });
});
