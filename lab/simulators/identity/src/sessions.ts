import { randomUUID } from 'node:crypto';
import { createBoundedMap } from './bounded-map.ts';
import { randomSecret } from './identifiers.ts';
import type { Client, User } from './options.ts';
import type { Scopes } from './scopes.ts';

/** Refresh tokens end a day after the sign-in, as Entra's do for single-page apps. */
const LASTS_MS = 24 * 3_600_000;

/** One sign-in of one person for one client, and all that was given for it. */
export interface Session {
  readonly id: string;
  readonly user: User;
  readonly client: Client;
  readonly scopes: Scopes;
  readonly signedInAt: number;
  /** Ended: a code or refresh token came twice, or the person signed out. */
  ended: boolean;
}

interface RefreshToken {
  readonly session: Session;
  used: boolean;
}

export interface Sessions {
  start(user: User, client: Client, scopes: Scopes): Session;
  find(id: string): Session | undefined;
  /** Null when the session has ended meanwhile. */
  issueRefreshToken(session: Session): string | null;
  /**
   * The session of a refresh token. One that was spent before was stolen, from its owner or by them:
   * the session ends, since nobody can tell which.
   */
  present(token: string, client: Client): Session | null;
  spend(token: string): void;
}

export function createSessions(now: () => number): Sessions {
  const sessions = createBoundedMap<Session>({ most: 10_000, lifetimeMs: LASTS_MS, now });
  const tokens = createBoundedMap<RefreshToken>({ most: 10_000, lifetimeMs: LASTS_MS, now });
  const isOver = (session: Session) => session.ended || now() >= session.signedInAt + LASTS_MS;

  return {
    start(user, client, scopes) {
      const session = {
        id: randomUUID(),
        user,
        client,
        scopes,
        signedInAt: now(),
        ended: false,
      };
      sessions.set(session.id, session);
      return session;
    },
    find: (id) => sessions.get(id),
    issueRefreshToken(session) {
      if (isOver(session)) return null;
      const token = randomSecret();
      tokens.set(token, { session, used: false });
      return token;
    },
    present(text, client) {
      const token = tokens.get(text);
      if (token === undefined || token.session.client.id !== client.id) return null;
      if (token.used) token.session.ended = true;
      return isOver(token.session) ? null : token.session;
    },
    spend(text) {
      const token = tokens.get(text);
      if (token !== undefined) token.used = true;
    },
  };
}
