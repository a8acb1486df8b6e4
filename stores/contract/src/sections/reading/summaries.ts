import { expect } from 'vitest';
import { ERROR, HOUR, OUTCOMES, add, addOne, claimAll, settle, start, times } from '../../build.ts';
import type { Section } from '../../harness.ts';
import { strangeIds } from '../../observe.ts';

export const summaries: Section = {
  title: 'summaries of jobs that are known by their ids',
  checks(check) {
    check('say what a list says, whatever state the job is in', async ({ store }) => {
      for (const outcome of Object.values(OUTCOMES)) {
        const names = { tenant: 'acme', correlationId: 'correlation-1', submitter: 'ann' };
        const job = await start(store, { kind: outcome.move, priority: 3, ...names });
        await settle(store, job, outcome);
      }
      await addOne(store, { kind: 'later', due: { afterMs: HOUR } });
      const running = await start(store, { kind: 'running' }, { worker: 'worker-7' });
      await store.cancel({ select: { ids: [running.id] } });
      const { jobs } = await store.list({ filter: {}, limit: 100 });
      const found = await store.summaries({ ids: jobs.map(({ id }) => id) });
      expect(new Set(found)).toEqual(new Set(jobs));
      const byId = new Map(found.map((job) => [job.id, job]));
      expect(byId.get(running.id)).toMatchObject({
        state: 'PROCESSING',
        attempt: 1,
        worker: 'worker-7',
        cancelRequested: true,
      });
      expect(found.find(({ kind }) => kind === 'fail')).toMatchObject({
        state: 'FAILED',
        error: ERROR,
      });
    });

    check('leave out ids that mean nothing, and tell each job once', async ({ store }) => {
      const [id = '', other = ''] = await add(store, {}, {}, {});
      const strange = strangeIds(store, id);
      const found = await store.summaries({ ids: [other, ...strange, id, other, id] });
      expect(found.map((job) => job.id).toSorted()).toEqual([id, other].toSorted());
      expect(await store.summaries({ ids: strange })).toEqual([]);
      expect(await store.summaries({ ids: [] })).toEqual([]);
    });

    check('of a thousand at once', async ({ store }) => {
      const ids = await add(store, ...times(1_500, () => ({})));
      await claimAll(store, { limit: 700 });
      const found = await store.summaries({ ids: ids.slice(0, 1_000) });
      expect(found.map(({ id }) => id).toSorted()).toEqual(ids.slice(0, 1_000).toSorted());
      expect(found.filter(({ state }) => state === 'PROCESSING')).toHaveLength(700);
    });
  },
};
