/** One thing that the process stands on, as it was found; the command line shows it. */
export interface Finding {
  readonly check: string;
  readonly verdict: 'ok' | 'missing' | 'cannot tell';
  /** A sentence. */
  readonly found: string;
  /** What to do; null where there is nothing to do. */
  readonly advice: string | null;
}

export function ok(check: string, found: string): Finding {
  return { check, verdict: 'ok', found, advice: null };
}

export function missing(check: string, found: string, advice: string): Finding {
  return { check, verdict: 'missing', found, advice };
}

export function unknown(check: string, found: string, advice: string): Finding {
  return { check, verdict: 'cannot tell', found, advice };
}
