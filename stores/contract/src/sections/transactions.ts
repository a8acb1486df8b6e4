import { expect } from 'vitest';
import { claimAll, idsOf, newJob } from '../build.ts';
import type { Section } from '../harness.ts';
import { expectRefused, listAll } from '../observe.ts';

export const transactions: Section = {
  title: 'the caller’s own transaction',
  checks(check) {
    check('jobs are added with it, or not at all', async ({ store, harness }) => {
      if (!store.can.transactions) {
        const jobs = [newJob()];
        await expectRefused(store.enqueue({ jobs, transaction: {} }), 'unsupported_by_store');
        expect(await listAll(store)).toEqual([]);
        return;
      }
      if (harness.transact === undefined) {
        throw new Error('A store that can join transactions needs `transact` in its harness.');
      }
      const failing = harness.transact(async (transaction) => {
        await store.enqueue({ jobs: [newJob()], transaction });
        throw new Error('The caller changed its mind.');
      });
      await expect(failing).rejects.toThrow('changed its mind');
      expect(await listAll(store)).toEqual([]);

      let added: string[] = [];
      await harness.transact(async (transaction) => {
        added = idsOf(await store.enqueue({ jobs: [newJob(), newJob()], transaction }));
      });
      expect(idsOf(await claimAll(store))).toEqual(added);
    });
  },
};
