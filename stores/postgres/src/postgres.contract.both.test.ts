import { type StoreHarness, describeStoreContract } from '@millrace/store-contract';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import {
  EMPTY,
  type TestDatabase,
  type TestDatabases,
  clockAheadBy,
  testDatabases,
} from '../test/databases.ts';
import { describeAnnouncements } from '../test/service-checks/announcements.ts';
import { describeAudit } from '../test/service-checks/audit.ts';
import { describeNames } from '../test/service-checks/names.ts';
import { isLong } from '../../../scripts/need.mjs';
import { type PostgresStore, openPostgresStore } from './index.ts';
import { openPg } from './pg.ts';
import { createStore } from './store.ts';

let databases: TestDatabases;
/** Emptied after each check, which costs a fraction of another one. */
let one: TestDatabase;
let admin: pg.Client;
beforeAll(async () => {
  databases = await testDatabases();
  one = await databases.create();
  admin = new pg.Client(one.url);
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await one.drop();
  await databases.remove();
});

type Options = Parameters<StoreHarness['open']>[0];

/** Every job of a claim that may share its lease does, however small the claim. */
async function openSharing(url: string, { dependants = () => [], ...options }: Options = {}) {
  const database = openPg({ url, poolSize: 10, answerWithinMs: 30_000 });
  const store = await createStore({
    database,
    name: 'pg',
    dependants,
    shareLeaseFrom: 1,
    ...options,
  });
  database.setPrepared(true);
  return store;
}

/** An empty database. */
async function start(openStore: (url: string, options?: Options) => Promise<PostgresStore>) {
  const stores: PostgresStore[] = [];
  let ahead = 0;
  return {
    async open(options?: Options) {
      const store = await openStore(one.url, options);
      stores.push(store);
      return store;
    },
    async advance(ms: number) {
      ahead += ms;
      await admin.query(clockAheadBy(ahead));
    },
    async transact(body: (transaction: unknown) => Promise<void>) {
      await admin.query('BEGIN');
      try {
        await body(admin);
        await admin.query('COMMIT');
      } catch (error) {
        await admin.query('ROLLBACK');
        throw error;
      }
    },
    async close() {
      await Promise.all(stores.map((store) => store.close()));
      await admin.query(EMPTY);
    },
  };
}

const open = (url: string, options?: Options) => openPostgresStore({ url, ...options });
if (isLong) {
  describeStoreContract('postgres, leases shared', () => start(openSharing));
} else {
  describeStoreContract('postgres', () => start(open));
  describeAudit('postgres', () => start(open));
  describeNames('postgres', () => start(open));
  describeAnnouncements('postgres', () => start(open));
}
