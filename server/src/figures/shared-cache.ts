import type { Clock } from '@millrace/engine';

/**
 * Answers that are shared by all who ask the same while they are under way and for so long after; one that was long in coming,
 * for ten times as long as it took, so that people who look never take more than a tenth of what the store can do
 * (docs/decisions/0030-figures.md).
 */
export interface SharedCache {
  answer<T>(key: unknown, forMs: number, ask: () => Promise<T>): Promise<T>;
}

/** Beyond this, the oldest entry is dropped. */
const MOST_ENTRIES = 500;
const COST_FACTOR = 10;

export function createSharedCache(clock: Clock): SharedCache {
  const kept = new Map<string, { readonly answer: Promise<unknown>; until: number }>();
  return {
    answer<T>(key: unknown, forMs: number, ask: () => Promise<T>): Promise<T> {
      const name = JSON.stringify(key);
      const known = kept.get(name);
      if (known !== undefined && clock.now() < known.until) return known.answer as Promise<T>;
      const began = clock.now();
      const answer = ask();
      const entry = { answer, until: Infinity };
      kept.delete(name);
      kept.set(name, entry);
      const [oldest] = kept.size > MOST_ENTRIES ? kept.keys() : [];
      if (oldest !== undefined) kept.delete(oldest);
      answer.then(
        () => {
          const now = clock.now();
          entry.until = now + Math.max(forMs, COST_FACTOR * (now - began));
        },
        // One that failed is asked for again by the next.
        () => (entry.until = -Infinity),
      );
      return answer;
    },
  };
}
