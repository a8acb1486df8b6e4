import { MarketingCloudError } from '../errors.ts';

/** What was refused, so that it is not asked for again too soon: tokens, and logins that gave none. */
export interface Refusals {
  /** Throws where asking now would be in vain. */
  check(mid: string): void;
  /** A login gave no token. */
  ofLogin(mid: string, error: MarketingCloudError): void;
  /** Marketing Cloud refused a token that the login had given. */
  ofToken(mid: string): void;
}

/** A refused client is asked about again so much later: a wrong secret does not become right by asking. */
const REMEMBER_MS = 60_000;
/** A login that hands out tokens which are refused at once must not become a loop. */
const MOST_REFUSED_A_MINUTE = 5;

export function createRefusals(now: () => number): Refusals {
  /** By MID, or under '' where it is the client itself that was refused. */
  const logins = new Map<string, { readonly until: number; readonly error: MarketingCloudError }>();
  /** By MID, when tokens were refused, within the last minute. */
  const tokens = new Map<string, number[]>();

  function checkLogins(mid: string): void {
    const known = [logins.get(''), logins.get(mid)].find((each) => (each?.until ?? 0) > now());
    if (known === undefined) return;
    const { code, kind, status, message } = known.error;
    const leftMs = known.until - now();
    throw new MarketingCloudError(
      message, // without a time: it is kept, and retryAfterMs has it
      { code, kind, outcome: 'notSent', status, retryAfterMs: leftMs },
    );
  }

  function checkTokens(mid: string): void {
    const refusedAt = lastMinute(mid);
    const [first] = refusedAt;
    if (first === undefined || refusedAt.length < MOST_REFUSED_A_MINUTE) return;
    const leftMs = first + REMEMBER_MS - now();
    throw new MarketingCloudError(
      `Marketing Cloud refused ${MOST_REFUSED_A_MINUTE} new tokens within a minute.`,
      { code: 'tokens_refused', kind: 'session', outcome: 'notSent', retryAfterMs: leftMs },
    );
  }

  function lastMinute(mid: string): number[] {
    return (tokens.get(mid) ?? []).filter((at) => now() - at < REMEMBER_MS);
  }

  return {
    check(mid) {
      checkLogins(mid);
      checkTokens(mid);
    },
    ofLogin(mid, error) {
      if (error.kind !== 'session' && error.kind !== 'limit') return;
      const isOfAll = error.code === 'invalid_client' || error.kind === 'limit';
      const until = now() + (error.retryAfterMs ?? REMEMBER_MS);
      logins.set(isOfAll ? '' : mid, { until, error });
    },
    ofToken(mid) {
      tokens.set(mid, [...lastMinute(mid), now()]);
    },
  };
}
