/**
 * Documents that killed processes, by hash. Two deaths within the time and the document is refused until
 * the time is over. Bounded: what was heard of longest ago is forgotten first.
 */
export interface PoisonList {
  /** A process died of it. True once it is on the list. */
  died(sha256: string): boolean;
  has(sha256: string): boolean;
  /** How many documents are refused now. */
  size(): number;
}

const DEADLY = 2;

export function createPoisonList(options: {
  limit: number;
  forgetAfterMs: number;
  now: () => number;
}): PoisonList {
  const { limit, forgetAfterMs, now } = options;
  const heard = new Map<string, { deaths: number; at: number }>();

  /** The map is in the order of `at`: every death puts its document last. */
  function forget(): void {
    for (const [sha256, { at }] of heard) {
      if (heard.size <= limit && now() - at < forgetAfterMs) return;
      heard.delete(sha256);
    }
  }

  return {
    died(sha256) {
      forget();
      const deaths = (heard.get(sha256)?.deaths ?? 0) + 1;
      heard.delete(sha256);
      heard.set(sha256, { deaths, at: now() });
      forget();
      return deaths >= DEADLY;
    },
    has(sha256) {
      forget();
      return (heard.get(sha256)?.deaths ?? 0) >= DEADLY;
    },
    size() {
      forget();
      return [...heard.values()].filter(({ deaths }) => deaths >= DEADLY).length;
    },
  };
}
