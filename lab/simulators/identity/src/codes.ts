import { createBoundedMap } from './bounded-map.ts';
import { randomSecret } from './identifiers.ts';
import type { Session } from './sessions.ts';

const VALID_MS = 60_000;
/** Spent codes are remembered for longer than they are valid, so that a late replay is noticed too. */
const REMEMBERED_MS = 600_000;

/** The grant behind an authorization code, and what it is bound to. */
export interface Code {
  readonly session: Session;
  readonly redirectUri: string;
  readonly challenge: string | undefined;
  readonly nonce: string | undefined;
}

export interface Codes {
  issue(code: Code): string;
  /**
   * The first to present a code spends it, with the right proof or not. A code that comes a second
   * time has leaked: the session that it gave ends.
   */
  redeem(text: string): Code | null;
}

export function createCodes(now: () => number): Codes {
  const codes = createBoundedMap<{ readonly code: Code; readonly until: number; used: boolean }>({
    most: 1_000,
    lifetimeMs: REMEMBERED_MS,
    now,
  });
  return {
    issue(code) {
      const text = randomSecret();
      codes.set(text, { code, until: now() + VALID_MS, used: false });
      return text;
    },
    redeem(text) {
      const entry = codes.get(text);
      if (entry === undefined) return null;
      if (entry.used) entry.code.session.ended = true;
      const valid = !entry.used && now() < entry.until;
      entry.used = true;
      return valid ? entry.code : null;
    },
  };
}
