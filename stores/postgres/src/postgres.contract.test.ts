import type { Store } from '@millrace/engine';
import { describeStoreContract } from '@millrace/store-contract';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { type TestDatabases, clockAheadBy, testDatabases } from '../test/databases.ts';
import { openPostgresStore } from './index.ts';

let databases: TestDatabases;
beforeAll(async () => {
  databases = await testDatabases();
});
afterAll(() => databases.remove());

describeStoreContract('postgres', async () => {
  const database = await databases.create();
  const stores: Store[] = [];
  const admin = new pg.Client(database.url);
  await admin.connect();
  let ahead = 0;
  return {
    async open(options = {}) {
      const store = await openPostgresStore({ url: database.url, ...options });
      stores.push(store);
      return store;
    },
    async advance(ms) {
      ahead += ms;
      await admin.query(clockAheadBy(ahead));
    },
    async transact(body) {
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
});
