import { type StoreHarness, describeStoreContract } from '@millrace/store-contract';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { type TestDatabases, clockAheadBy, testDatabases } from '../test/databases.ts';
import { describeAnnouncements } from '../test/service-checks/announcements.ts';
import { describeAudit } from '../test/service-checks/audit.ts';
import { type PostgresStore, openPostgresStore } from './index.ts';

let databases: TestDatabases;
beforeAll(async () => {
  databases = await testDatabases();
});
afterAll(() => databases.remove());

/** A fresh, empty database. */
async function start() {
  const database = await databases.create();
  const stores: PostgresStore[] = [];
  const admin = new pg.Client(database.url);
  await admin.connect();
  let ahead = 0;
  return {
    async open(options: Parameters<StoreHarness['open']>[0] = {}) {
      const store = await openPostgresStore({ url: database.url, ...options });
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
      await admin.end();
      await database.drop();
    },
  };
}

describeStoreContract('postgres', start);
describeAudit('postgres', start);
describeAnnouncements('postgres', start);
