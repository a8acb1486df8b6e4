import { type StoreHarness, describeStoreContract } from '@millrace/store-contract';
import { createMemoryDatabase } from './index.ts';

describeStoreContract('memory', async (): Promise<StoreHarness> => {
  let now = Date.UTC(2024, 0, 1);
  const database = createMemoryDatabase({ now: () => now });
  return {
    open: async (options) => database.open(options),
    async advance(ms) {
      now += ms;
    },
    async close() {},
  };
});
