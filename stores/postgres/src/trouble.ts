import { conditionOf } from './errors.ts';

/**
 * Trouble of a database that answers and yet cannot work: a full disk still lets everyone read. It is known from the
 * statements that it refuses, since no query would show it: a small write may find room where a batch does not.
 */
export interface Trouble {
  failed(statement: string, error: unknown): void;
  passed(statement: string): void;
  /** In a sentence without names and addresses; null when all is well, as far as known. */
  current(): string | null;
}

/**
 * How long a refusal counts without a new one. Workers report every 10 s, and that is a write: a condition that lasts
 * is seen again.
 */
const KNOWN_FOR_MS = 30_000;

export function createTrouble(now: () => number = () => performance.now()): Trouble {
  const refused = new Map<string, { readonly sentence: string; readonly at: number }>();
  return {
    failed(statement, error) {
      const condition = conditionOf(error);
      if (condition !== null) refused.set(statement, { sentence: `${condition}.`, at: now() });
    },
    passed(statement) {
      if (refused.size > 0) refused.delete(statement);
    },
    current() {
      for (const [statement, { at }] of refused)
        if (now() - at > KNOWN_FOR_MS) refused.delete(statement);
      return refused.values().next().value?.sentence ?? null;
    },
  };
}
