import { randomBytes } from 'node:crypto';
import type { Clock } from '@millrace/simulator-kit';
import type { Client, Settings } from '../options.ts';

/** A token serves the MID that it was made for, and no other. */
export interface Session {
  readonly client: Client;
  readonly mid: string;
  readonly expiresAt: number;
}

export interface Tokens {
  issue(client: Client, mid: string): string;
  /** Null: it has expired, or was never given. */
  find(token: string): Session | null;
  end(token: string): void;
  endAll(): void;
}

export function createTokens(clock: Clock, { tokenSeconds }: Settings): Tokens {
  const sessions = new Map<string, Session>();

  function forgetExpired(): void {
    for (const [token, { expiresAt }] of sessions) {
      if (expiresAt <= clock.now()) sessions.delete(token);
    }
  }

  return {
    issue(client, mid) {
      forgetExpired();
      const token = randomBytes(48).toString('base64url');
      sessions.set(token, { client, mid, expiresAt: clock.now() + tokenSeconds * 1000 });
      return token;
    },
    find(token) {
      const session = sessions.get(token);
      return session !== undefined && session.expiresAt > clock.now() ? session : null;
    },
    end: (token) => void sessions.delete(token),
    endAll: () => sessions.clear(),
  };
}
