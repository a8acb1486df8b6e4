import type { PGlite, Transaction } from '@electric-sql/pglite';
import type { Database, Param, Row, Session, Statement } from '../database.ts';
import { StoreStopped } from '@millrace/engine';
import { storeError } from '../errors.ts';
import { createOwnSessions } from '../own-sessions.ts';
import { createTrouble } from '../trouble.ts';

type Queryable = Pick<Transaction, 'query' | 'exec'>;

/** Postgres in this process, on one connection: PGlite queues transactions and statements itself. */
export function openPglite(pglite: PGlite): Database {
  const trouble = createTrouble();
  const own = createOwnSessions();
  let stopped: string | null = null;

  function translated(thrown: unknown): Error {
    const error = storeError(thrown);
    if (error instanceof StoreStopped) stopped = error.message;
    return error;
  }

  function session(client: Queryable): Session {
    return {
      async query<R extends Row>({ text }: Statement, values: readonly Param[]): Promise<R[]> {
        try {
          const { rows } = await client.query<R>(text, [...values]);
          trouble.passed(text);
          return rows;
        } catch (error) {
          trouble.failed(text, error);
          throw translated(error);
        }
      },
      async script(sql) {
        try {
          await client.exec(sql);
        } catch (error) {
          throw translated(error);
        }
      },
    };
  }

  return {
    ...session(pglite),
    isEmbedded: true,
    trouble: trouble.current,
    stopped: () => stopped,
    async transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
      let thrown: { readonly error: unknown } | null = null;
      try {
        return await pglite.transaction(async (inside) => {
          try {
            return await work(own.add(session(inside)));
          } catch (error) {
            thrown = { error };
            throw error;
          }
        });
      } catch (error) {
        // An error of the work itself goes on unchanged; only errors of PGlite's own BEGIN, COMMIT and ROLLBACK are
        // translated.
        throw thrown === null ? translated(error) : (thrown as { error: unknown }).error;
      }
    },
    join(joined) {
      const inside = own.find(joined);
      if (inside !== null) return inside;
      if (
        typeof joined !== 'object' ||
        joined === null ||
        !('query' in joined) ||
        !('exec' in joined)
      ) {
        throw new TypeError('The transaction must be one of PGlite.');
      }
      return session(joined as Queryable);
    },
    async listen(channel, onMessage) {
      const unlisten = await pglite.listen(channel, onMessage);
      return () => unlisten();
    },
    close: () => pglite.close(),
  };
}
