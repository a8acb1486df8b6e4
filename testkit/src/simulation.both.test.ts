import { describe, expect, it } from 'vitest';
import { describeViolation } from './observe/invariants.ts';
import { simulate } from './simulation.ts';
import { isLong } from '../../scripts/need.mjs';

/** Seeds of one test: 1 s of a processor. */
const SEEDS = 20;
/** The first seed of each test; the long suite goes on where the fast one ends. */
const FIRSTS = isLong ? Array.from({ length: 9 }, (_, n) => 1 + (n + 1) * SEEDS) : [1];

describe('the engine over the memory store', () => {
  it.each(FIRSTS)(
    `keeps every invariant over the faults of ${SEEDS} seeds from %i`,
    async (first) => {
      const broken: string[] = [];
      let faults = 0;
      for (let seed = first; seed < first + SEEDS; seed++) {
        const result = await simulate(seed);
        faults += Object.values(result.faults).reduce((sum, count) => sum + count, 0);
        for (const violation of result.violations)
          broken.push(`seed ${seed}: ${describeViolation(violation)}`);
      }
      expect(broken).toEqual([]);
      expect(faults, 'faults that were injected').toBeGreaterThan(SEEDS * 10);
    },
  );

  if (isLong) return;

  it('does the same again for the same seed', async () => {
    for (const seed of [7, 42, 99]) {
      const first = await simulate(seed, { trace: true });
      const second = await simulate(seed, { trace: true });
      expect(second.lines).toEqual(first.lines);
      expect(second.hash).toBe(first.hash);
      expect((await simulate(seed)).hash, 'whether or not someone reads along').toBe(first.hash);
    }
  });

  it('does something else for another seed', async () => {
    const hashes = await Promise.all(
      [simulate(1), simulate(2)].map(async (result) => (await result).hash),
    );
    expect(new Set(hashes).size).toBe(2);
  });
});
