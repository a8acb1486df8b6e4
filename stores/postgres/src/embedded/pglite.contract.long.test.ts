import type { PGlite } from '@electric-sql/pglite';
import { type StoreHarness, describeStoreContract } from '@millrace/store-contract';
import { afterAll, beforeAll } from 'vitest';
import { EMPTY, clockAheadBy } from '../../test/databases.ts';
import { describeAnnouncements } from '../../test/service-checks/announcements.ts';
import { describeAudit } from '../../test/service-checks/audit.ts';
import { describeNames } from '../../test/service-checks/names.ts';
import { openPgliteInMemory } from '../../test/stores.ts';
import { type PostgresStore, openPgliteStore } from '../index.ts';

// Opening takes a second, so one database serves the file and is emptied after each test. Handles
// share its one connection, as the parts of a process do.
let pglite: PGlite;
beforeAll(async () => {
  pglite = await openPgliteInMemory();
});
afterAll(() => pglite.close());

/** An empty database. */
async function start() {
  const stores: PostgresStore[] = [];
  let ahead = 0;
  return {
    async open(options: Parameters<StoreHarness['open']>[0] = {}) {
      const store = await openPgliteStore({ source: { pglite }, ...options });
      stores.push(store);
      return store;
    },
    async advance(ms: number) {
      ahead += ms;
      await pglite.exec(clockAheadBy(ahead));
    },
    transact: (body: (transaction: unknown) => Promise<void>) => pglite.transaction(body),
    async close() {
      await Promise.all(stores.map((store) => store.close()));
      await pglite.exec(EMPTY);
    },
  };
}

describeStoreContract('pglite', start);
describeAudit('pglite', start);
describeNames('pglite', start);
describeAnnouncements('pglite', start);
