/** Which traces are worth having when there are too many: a token bucket, for all of a process. */
export interface Sampling {
  /** No trace can begin now: a cheap question before anything is prepared for one. */
  isSpent(): boolean;
  /** Takes one, if there is one. `preferred` is for what belongs to a trace that someone has begun. */
  take(preferred: boolean): boolean;
}

/** A fifth is kept for what is preferred, so that a busy queue does not starve it. */
const RESERVE = 0.2;

export function createSampling(perSecond: number, now: () => number): Sampling {
  const capacity = Math.max(perSecond, 0);
  const reserve = Math.max(0, Math.min(capacity * RESERVE, capacity - 1));
  let tokens = capacity;
  let filledAt = now();

  function fill(): void {
    const at = now();
    tokens = Math.min(capacity, tokens + ((at - filledAt) / 1_000) * perSecond);
    filledAt = at;
  }

  return {
    isSpent() {
      fill();
      return tokens < 1;
    },
    take(preferred) {
      fill();
      if (tokens < (preferred ? 1 : 1 + reserve)) return false;
      tokens -= 1;
      return true;
    },
  };
}
