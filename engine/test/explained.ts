import { expect } from 'vitest';
import type { Explanation } from '../src/queue/explain.ts';
import { type WorldOptions, createWorld, never, work } from './world.ts';

export const HOUR_MS = 3_600_000;
export const quick = work(async () => {});
export const endless = work(never, { timeout: '1d' });

export function world(options: Partial<WorldOptions> = {}) {
  return createWorld({ kinds: [quick], ...options });
}

/** Compares all of it: reason, sentence and until. */
export function expectExplained(
  explanation: Explanation,
  reason: string,
  sentence: string | RegExp,
  until: number | null = null,
): void {
  expect(explanation).toMatchObject({ reason, until });
  if (typeof sentence === 'string') expect(explanation.sentence).toBe(sentence);
  else expect(explanation.sentence).toMatch(sentence);
}
