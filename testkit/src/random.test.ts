import { describe, expect, it } from 'vitest';
import { createDice } from './random.ts';

describe('dice', () => {
  it('give the same numbers for the same seed, and others for the next', () => {
    const numbers = (seed: number): number[] => {
      const dice = createDice(seed);
      return Array.from({ length: 20 }, () => dice.next());
    };
    expect(numbers(1)).toEqual(numbers(1));
    expect(numbers(1)).not.toEqual(numbers(2));
  });

  it('spread evenly, from neighbouring seeds too', () => {
    const buckets = Array.from({ length: 10 }, () => 0);
    for (let seed = 0; seed < 10_000; seed++) {
      const bucket = Math.floor(createDice(seed).next() * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    for (const count of buckets) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });

  it('fork without shifting what is drawn here', () => {
    const [plain, forking] = [createDice(3), createDice(3)];
    forking.fork('child').next();
    expect(forking.next()).toBe(plain.next());
    expect(forking.fork('child').next()).toBe(plain.fork('child').next());
    expect(forking.fork('child').next()).not.toBe(forking.fork('other').next());
  });

  it('stay within bounds', () => {
    const dice = createDice(4);
    const drawn = Array.from({ length: 1_000 }, () => dice.integer(-1, 2));
    expect([...new Set(drawn)].toSorted((a, b) => a - b)).toEqual([-1, 0, 1, 2]);
    expect(new Set(Array.from({ length: 100 }, () => dice.pick(['a', 'b'])))).toEqual(
      new Set(['a', 'b']),
    );
    expect(dice.some([1, 2, 3], 1)).toEqual([1, 2, 3]);
    expect(dice.some([1, 2, 3], 0)).toEqual([]);
  });
});
