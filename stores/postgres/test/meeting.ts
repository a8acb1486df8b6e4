import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type PostgresStore, openPostgresStore } from '../src/index.ts';
import { type TestDatabases, testDatabases } from './databases.ts';

/** A database for each test, in which statements meet. */
export interface Meeting {
  readonly url: string;
  /** Holds rows, so that what meets for a moment meets for as long as the test wants. */
  readonly other: pg.Client;
  /** Closed after the test, as is what `atEnd` is given: the last first. */
  open(url?: string): Promise<PostgresStore>;
  atEnd(close: () => Promise<unknown>): void;
  rows(text: string): Promise<unknown[]>;
  /** Until so many wait for a lock. Answers with what `columns` say of them. */
  untilWaiting(count?: number, columns?: string): Promise<unknown[]>;
}

/** Registers what is before and after the tests of the file that calls it. */
export function meeting(): Meeting {
  let databases: TestDatabases;
  let url = '';
  let other: pg.Client;
  const closers: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    databases = await testDatabases();
  });
  afterAll(() => databases.remove());
  beforeEach(async () => {
    const database = await databases.create();
    closers.push(() => database.drop());
    ({ url } = database);
    other = await connect();
    closers.push(() => other.end());
  });
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client(url);
    await client.connect();
    return client;
  }

  return {
    get url() {
      return url;
    },
    get other() {
      return other;
    },
    async open(at = url) {
      const store = await openPostgresStore({ url: at });
      closers.push(() => store.close());
      return store;
    },
    atEnd: (close) => void closers.push(close),
    rows: async (text) => (await other.query(text)).rows,
    // By a client of its own: within a transaction, pg_stat_activity stays as it was first read.
    async untilWaiting(count = 1, columns = '') {
      const looking = await connect();
      const text = `SELECT ${columns} FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      for (;;) {
        const { rows } = await looking.query(text);
        if (rows.length < count) continue;
        await looking.end();
        return rows;
      }
    },
  };
}
