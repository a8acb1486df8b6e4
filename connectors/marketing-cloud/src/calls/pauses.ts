import { MarketingCloudError } from '../errors.ts';

/**
 * The pauses that Marketing Cloud asked for with Retry-After, per business unit. While one lasts no call of that business unit
 * leaves: each would be refused, and be one more that it counts.
 */
export interface Pauses {
  note(mid: string, error: MarketingCloudError): void;
  /** Throws while a pause lasts. */
  admit(mid: string): void;
}

export function createPauses(now: () => number): Pauses {
  const until = new Map<string, number>();
  return {
    note(mid, { kind, retryAfterMs }) {
      if (kind !== 'limit' || retryAfterMs === null) return;
      until.set(mid, Math.max(until.get(mid) ?? 0, now() + retryAfterMs));
    },
    admit(mid) {
      const leftMs = (until.get(mid) ?? 0) - now();
      if (leftMs <= 0) {
        until.delete(mid);
        return;
      }
      throw new MarketingCloudError(
        `Marketing Cloud asked for a pause of business unit ${mid}; it lasts another ${Math.ceil(leftMs / 1_000)} s.`,
        { code: 'paused', kind: 'limit', outcome: 'notSent', retryAfterMs: leftMs },
      );
    },
  };
}
