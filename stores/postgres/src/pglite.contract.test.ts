import { PGlite } from '@electric-sql/pglite';
import type { Store } from '@millrace/engine';
import { describeStoreContract } from '@millrace/store-contract';
import { afterAll, beforeAll } from 'vitest';
import { clockAheadBy } from '../test/databases.ts';
import { openPgliteStore } from './index.ts';

// Opening takes seconds (initdb), so one database serves the file and each test gets a fresh schema. Handles
// share its one connection, as the parts of a process do.
let pglite: PGlite;
beforeAll(async () => {
  pglite = await PGlite.create();
});
afterAll(() => pglite.close());

describeStoreContract('pglite', async () => {
  await pglite.exec('DROP SCHEMA IF EXISTS millrace CASCADE');
  const stores: Store[] = [];
  let ahead = 0;
  return {
    async open(options = {}) {
      const store = await openPgliteStore({ source: { pglite }, ...options });
      stores.push(store);
      return store;
    },
    async advance(ms) {
      ahead += ms;
      await pglite.exec(clockAheadBy(ahead));
    },
    transact: (body) => pglite.transaction(body),
    async close() {
      await Promise.all(stores.map((store) => store.close()));
    },
  };
});
