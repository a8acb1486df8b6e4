import { setTimeout as sleep } from 'node:timers/promises';
import { MillraceError } from '@millrace/engine';
import pg from 'pg';
import { type ConnectOptions, clientClass, connectConfig, isRefused } from './connect.ts';
import type { Database, Param, Question, Row, Session, Statement } from './database.ts';
import { isUndone, storeError, unavailable } from './errors.ts';
import { PLANNING } from './planning.ts';
import { createOwnSessions } from './own-sessions.ts';
import { createTrouble } from './trouble.ts';

export type PgOptions = ConnectOptions & {
  readonly poolSize: number;
  /** A connection that has not answered by then is given up: the other end may be gone without a word. */
  readonly answerWithinMs: number;
};

export interface PgDatabase extends Database {
  /** Whether connections are ours alone, to be set up and to keep prepared statements on. They are not at first. */
  setPrepared(prepared: boolean): void;
  /** The state of the pool. `waiting` are callers for whom no connection was free. */
  connections(): { total: number; idle: number; waiting: number };
}

const INT8 = 20;
const RECONNECT_MS = { first: 100, most: 5_000 };
const HEARTBEAT_MS = 15_000;
/** For questions that are still under way when the pool is closed. */
const CLOSE_WITHIN_MS = 2_000;
/**
 * Tries of an undone transaction in all, and the longest pause before the next one: random, so that two do not meet
 * again.
 */
const UNDONE = { tries: 5, mostMs: 50 };

/** Our numbers are sequences: exact as doubles for the next few thousand years. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : (pg.types.getTypeParser(oid, format) as (value: string) => unknown),
};

/** The name of the database, as the pg package has understood it: never with a user or password. */
function placeOf({ database, host, port }: pg.Client): string {
  return `"${database ?? ''}" at ${host}${host.startsWith('/') ? '' : `:${port}`}`;
}

type Queryable = Pick<pg.ClientBase, 'query'>;

export function openPg({ poolSize, answerWithinMs, ...connect }: PgOptions): PgDatabase {
  let prepared = false;
  let warmUp: readonly Question[] = [];
  let closing: Promise<void> | null = null;
  const config: pg.ClientConfig = {
    ...connectConfig(connect),
    application_name: 'millrace',
    keepAlive: true,
    connectionTimeoutMillis: Math.min(answerWithinMs, 10_000),
    query_timeout: answerWithinMs,
  };
  const Client = clientClass(connect);
  const place = placeOf(new Client(config));
  const pool = new pg.Pool({ ...config, Client, max: poolSize, idleTimeoutMillis: 60_000 });
  // An idle connection that breaks is replaced when next needed.
  pool.on('error', () => {});
  const connected = new Set<pg.Client>();
  pool.on('connect', (client) => {
    connected.add(client);
    client.on('end', () => connected.delete(client));
  });
  const planned = new WeakSet<pg.PoolClient>();
  const listening = new Set<() => Promise<void>>();
  const own = createOwnSessions();
  const trouble = createTrouble();

  // A client that vanished without a word is known by its silence alone. Its transaction would hold its locks until the
  // operating system notices, two hours by default, and every claim would step around the jobs that it holds.
  const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = ${answerWithinMs}`;

  /** A connection on which anything went wrong is closed: whatever state it is in, nobody shall inherit it. */
  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      if (isRefused(error)) connect.credential?.refused?.();
      trouble.failed('connect', error);
      throw unavailable(error, place);
    });
    trouble.passed('connect');
    let isSound = false;
    try {
      if (prepared && !planned.has(client)) {
        await session(client).script(PLANNING);
        for (const { statement, params } of warmUp) await session(client).query(statement, params);
        planned.add(client);
      }
      const value = await work(client);
      isSound = true;
      return value;
    } finally {
      client.release(!isSound);
    }
  }

  /**
   * The client of somebody else has no named statements: a pooler may lie in front of it although none lies in front of ours,
   * and would lose them in the middle of a transaction. What it throws goes on unchanged: whoever has begun the transaction
   * runs it again after a 40001, and looks for that code.
   */
  function session(client: Queryable, isOwn = true): Session {
    return {
      async query<R extends Row>(
        { name, text }: Statement,
        values: readonly Param[],
      ): Promise<R[]> {
        if (!isOwn) await requireTransaction(client);
        try {
          const result = await client.query<R>({
            ...(isOwn && prepared && name !== '' && { name }),
            text,
            values: [...values],
            types,
          });
          trouble.passed(text);
          return result.rows;
        } catch (error) {
          trouble.failed(text, error);
          throw isOwn ? storeError(error, place) : error;
        }
      },
      async script(sql) {
        try {
          await client.query(sql);
        } catch (error) {
          throw storeError(error, place);
        }
      },
    };
  }

  /** Closing the connection is the way back: a ROLLBACK could fail as well, and hide why it was needed. */
  function transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return again(async (client) => {
      const inside = own.add(session(client));
      await inside.script(BEGIN);
      const value = await work(inside);
      await commit(client);
      return value;
    });
  }

  /**
   * Runs the work again after a deadlock or a serialisation failure, which undid all of it; the caller need not know.
   */
  async function again<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await withClient(work);
      } catch (error) {
        if (!isUndone(error) || tries >= UNDONE.tries) throw error;
      }
      await sleep(Math.random() * UNDONE.mostMs);
    }
  }

  /**
   * Closes everything that would keep the process alive: the listener, and connections gone silent, which answer no
   * goodbye.
   */
  async function close(): Promise<void> {
    for (const stop of listening) await stop();
    await Promise.race([pool.end(), sleep(CLOSE_WITHIN_MS, null, { ref: false })]);
    for (const client of connected) client.connection.stream.destroy();
  }

  return {
    query: (statement, values) => again((client) => session(client).query(statement, values)),
    script: (sql) => withClient((client) => session(client).script(sql)),
    transaction,
    warmUp(questions) {
      warmUp = questions;
    },
    isEmbedded: false,
    stopped: () => null,
    trouble: trouble.current,
    join(joined) {
      const inside = own.find(joined);
      if (inside !== null) return inside;
      if (!isQueryable(joined) || 'totalCount' in joined)
        throw new TypeError(
          'The transaction must be a connected client of the pg package. A pool runs each statement on any of its clients: give the one that you have begun the transaction on.',
        );
      return session(joined, false);
    },
    async listen(channel, onMessage, onGap) {
      const stop = await listen(() => new Client(config), channel, onMessage, onGap);
      listening.add(stop);
      return stop;
    },
    setPrepared(value) {
      prepared = value;
    },
    connections: () => connectionsOf(pool, poolSize),
    close: () => (closing ??= close()),
  };
}

/**
 * The pool hands out its idle connections, and opens new ones, in the next turn only: until then it counts callers as waiting who
 * wait for nothing, beside connections that are as good as taken ("0 of 10 used, 4 wait").
 */
function connectionsOf(
  { totalCount, idleCount, waitingCount }: pg.Pool,
  poolSize: number,
): ReturnType<PgDatabase['connections']> {
  const opened = Math.min(Math.max(0, waitingCount - idleCount), poolSize - totalCount);
  return {
    total: totalCount + opened,
    idle: Math.max(0, idleCount - waitingCount),
    waiting: Math.max(0, waitingCount - idleCount - opened),
  };
}

/** Postgres answers the COMMIT of a transaction in which a statement has failed with ROLLBACK, and calls it no error. */
async function commit(client: Queryable): Promise<void> {
  const { command } = await client.query('COMMIT').catch((error: unknown) => {
    throw storeError(error);
  });
  if (command !== 'COMMIT')
    throw new Error(
      'The transaction was rolled back: a statement in it had failed, and its error was not passed on.',
    );
}

/**
 * A write on a client outside of a transaction is there at once, and stays whatever happens to the rows beside it. Older
 * versions of `pg` cannot tell.
 */
async function requireTransaction(client: Queryable): Promise<void> {
  const isOutside = () =>
    'getTransactionStatus' in client &&
    typeof client.getTransactionStatus === 'function' &&
    client.getTransactionStatus() === 'I';
  if (!isOutside()) return;
  await client.query('SELECT 1'); // a BEGIN that was sent and not awaited is answered before
  if (isOutside())
    throw new MillraceError(
      'unsupported_by_store',
      'The client is in no transaction: it has not begun one, or that one has ended. Enqueue between BEGIN and COMMIT, or leave the transaction out to make the job at once.',
    );
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
  newClient: () => pg.Client,
  channel: string,
  onMessage: (message: string) => void,
  onGap: () => void,
): Promise<() => Promise<void>> {
  let stopped = false;
  let current: pg.Client | null = null;
  let retryMs = RECONNECT_MS.first;
  let timer: NodeJS.Timeout | undefined;

  async function open(): Promise<void> {
    const client = newClient();
    current = client;
    client.on('error', () => lost(client));
    client.on('end', () => lost(client));
    client.on('notification', ({ payload }) => onMessage(payload ?? ''));
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
    } catch (error) {
      lost(client);
      throw error;
    }
    retryMs = RECONNECT_MS.first;
    heartbeat(client);
  }

  /** A half-open connection never reports an error: only a query without an answer shows it. */
  function heartbeat(client: pg.Client): void {
    if (client !== current) return;
    timer = setTimeout(() => {
      client.query('SELECT 1').then(
        () => heartbeat(client),
        () => lost(client),
      );
    }, HEARTBEAT_MS);
    timer.unref();
  }

  /** However often and by whomever it is reported: a connection is lost once. */
  function lost(client: pg.Client): void {
    if (client !== current) return;
    leave();
    if (stopped) return;
    timer = setTimeout(() => {
      open()
        .then(onGap)
        .catch(() => {});
    }, retryMs);
    timer.unref();
    retryMs = Math.min(retryMs * 2, RECONNECT_MS.most);
  }

  /** Without a goodbye, which would wait for an answer that a line gone silent never brings. */
  function leave(): void {
    clearTimeout(timer);
    const client = current;
    current = null;
    client?.connection.stream.destroy();
  }

  function stop(): void {
    stopped = true;
    leave();
  }

  try {
    await open();
  } catch (error) {
    stop();
    throw unavailable(error);
  }
  return () => Promise.resolve(stop());
}
