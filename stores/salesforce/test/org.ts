import { fileURLToPath } from 'node:url';
import {
  type Salesforce as Connection,
  type SalesforceParts,
  createSalesforce,
} from '@millrace/salesforce';
import { type SalesforceOptions, startSalesforce } from '@millrace/simulator-salesforce';
import {
  type SalesforceStore,
  type SalesforceStoreOptions,
  createSalesforceStore,
} from '../src/index.ts';

const OBJECTS = fileURLToPath(
  new URL('../../../salesforce-package/force-app/main/default/objects', import.meta.url),
);
const APP = { clientId: 'millrace', secret: 'a-secret-for-tests' };

export type World = Awaited<ReturnType<typeof startOrg>>;
export type Org = World['org'];

/** Repeats without waiting for them. */
export const AT_ONCE: SalesforceParts = { sleep: async () => {} };

/** An org with the package in it, and stores that are each like a process of their own. */
export async function startOrg(options: Partial<SalesforceOptions> = {}) {
  const settings = {
    objects: OBJECTS,
    apps: [APP],
    dailyApiRequests: 100_000_000,
    ...options,
  };
  let org = await startSalesforce(settings);
  const stores: SalesforceStore[] = [];
  const connections: Connection[] = [];

  function connect(parts: SalesforceParts = {}): Connection {
    const connection = createSalesforce(
      {
        loginUrl: org.loginUrl,
        auth: { type: 'clientCredentials', clientId: APP.clientId, clientSecret: APP.secret },
      },
      parts,
    );
    connections.push(connection);
    return connection;
  }

  function open(
    changes: Partial<SalesforceStoreOptions> = {},
    parts: SalesforceParts = {},
  ): SalesforceStore {
    const store = createSalesforceStore({
      salesforce: connect(parts),
      defaultKind: 'document',
      gatherMs: 0,
      ...changes,
    });
    stores.push(store);
    return store;
  }

  return {
    get org() {
      return org;
    },
    /** The same org, after somebody has deployed the package's Apex, or removed it. */
    async deploy(apex: boolean) {
      const state = org.exportState();
      const { port } = new URL(org.origin);
      await org.close();
      org = await startSalesforce({ ...settings, apex, port: Number(port) });
      org.importState(state);
    },
    connect,
    open,
    /** No clock jumps in real life: each store hears of it before it goes on. */
    async advance(ms: number) {
      org.advance(ms);
      await Promise.all(stores.map((store) => store.now()));
    },
    async close() {
      await Promise.all(connections.map((connection) => connection.close()));
      await org.close();
    },
  };
}
