import type { Param, Row, Session, Statement } from './database.ts';

/** Runs one statement in a transaction of another driver, or of an ORM, and gives its rows. */
export type RunInside = (text: string, params: readonly Param[]) => Promise<readonly Row[]>;

const ofOthers = new WeakSet<Session>();

/**
 * A session that any database joins as it is: the driver behind it is not ours to know. What the driver throws goes on
 * unchanged, since whoever has begun the transaction knows what to make of it.
 */
export function sessionOf(run: RunInside): Session {
  const session: Session = {
    query: async <R extends Row>({ text }: Statement, params: readonly Param[]) =>
      [...(await run(text, params))] as R[],
    async script(sql) {
      await run(sql, []);
    },
  };
  ofOthers.add(session);
  return session;
}

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
      isObject(given) && [known, ofOthers].some((sessions) => sessions.has(given as Session))
        ? (given as Session)
        : null,
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
