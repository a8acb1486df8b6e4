import { expect } from 'vitest';
import { claimAll, idsOf, newJob, partOf } from '../../build.ts';
import type { Section } from '../../harness.ts';
import { listAll } from '../../observe.ts';

export const transactions: Section = {
  title: 'the caller’s own transaction',
  needs: ['enqueueIn'],
  checks(check) {
    check('jobs are added with it, or not at all', async ({ store, harness }) => {
      const enqueueIn = partOf(store, 'enqueueIn');
      if (harness.transact === undefined) {
        throw new Error('A store that has `enqueueIn` needs `transact` in its harness.');
      }
      const failing = harness.transact(async (transaction) => {
        await enqueueIn(transaction, { jobs: [newJob()] });
        throw new Error('The caller changed its mind.');
      });
      await expect(failing).rejects.toThrow('changed its mind');
      expect(await listAll(store)).toEqual([]);

      let added: string[] = [];
      await harness.transact(async (transaction) => {
        added = idsOf(await enqueueIn(transaction, { jobs: [newJob(), newJob()] }));
      });
      expect(idsOf(await claimAll(store))).toEqual(added);
    });
  },
};
