import { describeStoreContract } from '@millrace/store-contract';
import { isLong } from '../../../scripts/need.mjs';
import { startOrg } from '../test/org.ts';

const apex = !isLong;

describeStoreContract(
  apex ? 'salesforce, objects and Apex' : 'salesforce, objects only',
  async () => {
    const world = await startOrg({ apex });
    return {
      // The clock is known from the first answer on.
      async open() {
        const store = world.open();
        await store.now();
        return store;
      },
      advance: world.advance,
      close: world.close,
      // What wakes a worker comes from the org's own code; text areas and names have their limits. An org loses no
      // commits, and its epochs grow with its clock.
      limits: { silent: true, plainNames: true, longestText: 131_000, epochsFence: true },
    };
  },
  // Records keep whole seconds, and so does the Date of an answer.
  { precisionMs: 2_500 },
);
