import { describe, expect, it } from 'vitest';
import { PROOFS, UNPROVEN } from '../test/sabotages.ts';
import { INVARIANTS } from './observe/invariants.ts';
import { simulate } from './simulation.ts';

/** How many seeds may pass without notice. */
const WITHIN = 400;

describe('the simulation notices', () => {
  it.each(PROOFS)('$name', async ({ noticedAs, sabotage, from = 1 }) => {
    const noticed = new Set<string>();
    for (let seed = from; seed < from + WITHIN && !noticed.has(noticedAs); seed++) {
      const { violations } = await simulate(seed, { sabotage: sabotage() });
      for (const { invariant } of violations) noticed.add(invariant);
    }
    expect([...noticed]).toContain(noticedAs);
  });

  it('the breaking of every invariant', () => {
    const proven = new Set<string>([
      ...PROOFS.map(({ noticedAs }) => noticedAs),
      ...Object.keys(UNPROVEN),
    ]);
    expect(Object.keys(INVARIANTS).filter((invariant) => !proven.has(invariant))).toEqual([]);
  });
});
