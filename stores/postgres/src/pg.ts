import pg from 'pg';
import type { Database, Param, Row, Session, Statement } from './database.ts';
import { storeError } from './errors.ts';
import { PLANNING } from './planning.ts';

export interface PgOptions {
  readonly url: string;
  readonly poolSize: number;
  /** A connection that has not answered by then is given up: the other end may be gone without a word. */
  readonly answerWithinMs: number;
}

const INT8 = 20;
const RECONNECT_MS = { first: 100, most: 5_000 };
const HEARTBEAT_MS = 15_000;

/** Our numbers are sequences: exact as doubles for the next few thousand years. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : (pg.types.getTypeParser(oid, format) as (value: string) => unknown),
};

type Queryable = Pick<pg.ClientBase, 'query'>;

export function openPg({
  url,
  poolSize,
  answerWithinMs,
}: PgOptions): Database & { setPrepared(prepared: boolean): void } {
  // Until it is known that there is no pooler: a statement that is sent whole each time is slower and right everywhere.
  let prepared = false;
  const planned = new WeakSet<pg.ClientBase>();
  const config: pg.ClientConfig = {
    connectionString: url,
    application_name: 'millrace',
    keepAlive: true,
    connectionTimeoutMillis: Math.min(answerWithinMs, 10_000),
    query_timeout: answerWithinMs,
  };
  const pool = new pg.Pool({
    ...config,
    max: poolSize,
    idleTimeoutMillis: 60_000,
  });
  // An idle connection that breaks is replaced when next needed; without a listener it would end the process.
  pool.on('error', () => {});
  // So would one that breaks in a borrower's hands. The borrower's query tells.
  pool.on('connect', (client) => client.on('error', () => {}));

  function session(client: Queryable): Session {
    return {
      async query<R extends Row>(
        { name, text }: Statement,
        values: readonly Param[],
      ): Promise<R[]> {
        try {
          const result = await client.query<R>({
            ...(prepared && name !== '' && { name }),
            text,
            values: [...values],
            types,
          });
          return result.rows;
        } catch (error) {
          throw storeError(error);
        }
      },
      async script(sql) {
        try {
          await client.query(sql);
        } catch (error) {
          throw storeError(error);
        }
      },
    };
  }

  /** A connection of the pool for as long as the work takes. */
  async function lend<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw storeError(error);
    });
    try {
      const inside = session(client);
      // Behind a pooler (see `setPrepared`) the connection is not ours alone, and is left as it is.
      if (prepared && !planned.has(client)) {
        await inside.script(PLANNING);
        planned.add(client);
      }
      const value = await work(inside);
      client.release();
      return value;
    } catch (error) {
      // Whatever state the connection is in, nobody shall inherit it.
      client.release(true);
      throw error;
    }
  }

  return {
    query: (statement, params) => lend((inside) => inside.query(statement, params)),
    script: (sql) => lend((inside) => inside.script(sql)),
    isEmbedded: false,
    transaction: (work) =>
      lend(async (inside) => {
        await inside.script('BEGIN');
        const value = await work(inside);
        await inside.script('COMMIT');
        return value;
      }),
    join(joined) {
      if (!isQueryable(joined))
        throw new TypeError('The transaction must be a connected client of the pg package.');
      return session(joined);
    },
    listen: (channel, onMessage, onGap) => listen(config, channel, onMessage, onGap),
    setPrepared(value) {
      prepared = value;
    },
    close: () => pool.end(),
  };
}

function isQueryable(value: unknown): value is Queryable {
  return (
    typeof value === 'object' &&
    value !== null &&
    'query' in value &&
    typeof value.query === 'function'
  );
}

/** One connection of its own that comes back by itself. */
async function listen(
  config: pg.ClientConfig,
  channel: string,
  onMessage: (message: string) => void,
  onGap: () => void,
): Promise<() => Promise<void>> {
  let stopped = false;
  let client: pg.Client | null = null;
  let retryMs = RECONNECT_MS.first;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const next = new pg.Client(config);
    next.on('error', () => lost(next));
    next.on('end', () => lost(next));
    next.on('notification', (notification) => onMessage(notification.payload ?? ''));
    client = next;
    await next.connect();
    await next.query(`LISTEN ${channel}`);
    retryMs = RECONNECT_MS.first;
    heartbeat(next);
  }

  /** A half-open connection never reports an error: only a question without an answer tells. */
  function heartbeat(current: pg.Client): void {
    timer = setTimeout(() => {
      current.query('SELECT 1').then(
        () => current === client && !stopped && heartbeat(current),
        () => lost(current),
      );
    }, HEARTBEAT_MS);
    timer.unref();
  }

  function lost(which: pg.Client): void {
    if (stopped || which !== client) return;
    client = null;
    clearTimeout(timer);
    which.end().catch(() => {});
    timer = setTimeout(() => {
      connect().then(onGap, () => client !== null && lost(client));
    }, retryMs);
    timer.unref();
    retryMs = Math.min(retryMs * 2, RECONNECT_MS.most);
  }

  try {
    await connect();
  } catch (error) {
    stopped = true;
    throw storeError(error);
  }
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await client?.end().catch(() => {});
  };
}
