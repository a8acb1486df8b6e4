import type { Session } from './database.ts';

/** Sessions of transactions that the database itself has begun: whoever works in one can have jobs made in it too. */
export interface OwnSessions {
  add(session: Session): Session;
  /** Null for what is none of them. */
  find(given: unknown): Session | null;
}

export function createOwnSessions(): OwnSessions {
  const known = new WeakSet<Session>();
  return {
    add(session) {
      known.add(session);
      return session;
    },
    find: (given) =>
      typeof given === 'object' && given !== null && known.has(given as Session)
        ? (given as Session)
        : null,
  };
}
