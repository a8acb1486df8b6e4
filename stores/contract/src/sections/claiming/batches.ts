import { expect } from 'vitest';
import {
  claimAll,
  idsOf,
  keptBy,
  newJob,
  only,
  settlement,
  succeeded,
  times,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { countsByState, read, value } from '../../observe.ts';

export const batches: Section = {
  title: 'batches',
  checks(check) {
    for (const size of [1, 2, 10, 100, 1_000]) {
      check(`${size}: added, claimed, renewed and settled in one call each`, async ({ store }) => {
        const enqueued = await store.enqueue({
          jobs: times(size, (index) => newJob({ payload: `{"index":${index}}` })),
        });
        expect(enqueued.every(({ created }) => created)).toBe(true);
        const ids = idsOf(enqueued);
        expect(new Set(ids).size).toBe(size);

        const jobs = await claimAll(store, { limit: size });
        expect(idsOf(jobs), 'in the order in which they were added').toEqual(ids);
        expect(jobs.map(({ payload }) => value(payload))).toEqual(
          times(size, (index) => ({ index })),
        );

        const renewed = await store.renew({ leases: jobs, leaseMs: 60_000 });
        expect(renewed).toEqual(times(size, () => 'renewed'));

        const settlements = jobs.map((job, index) =>
          settlement(job, succeeded(`{"was":${index}}`)),
        );
        expect(await store.settle({ settlements })).toEqual(times(size, () => 'settled'));
        expect(await countsByState(store)).toEqual({ SUCCEEDED: size });
        const last = await read(store, ids.at(-1) ?? '');
        expect(value(last.result)).toEqual({ was: size - 1 });
      });
    }

    check('an empty one is answered with nothing', async ({ store }) => {
      expect(await store.enqueue({ jobs: [] })).toEqual([]);
      expect(await store.renew({ leases: [], leaseMs: 60_000 })).toEqual([]);
      expect(await store.settle({ settlements: [] })).toEqual([]);
      expect(await store.cancel({ select: { ids: [] } })).toEqual({ canceled: [], requested: [] });
      expect(await store.retry({ select: { ids: [] } })).toEqual({ retried: 0, ids: [] });
      expect(await claimAll(store)).toEqual([]);
    });

    check('every field of a new job is kept', async ({ store }) => {
      const asked = newJob({
        kind: 'report',
        payload: '{"county":"Kerry"}',
        maxAttempts: 4,
        tenant: 'acme',
        priority: 7,
        due: { at: 1_000 },
        key: { value: 'report-1', windowMs: 1_000 },
        correlationId: 'correlation-1',
        submitter: 'ann',
        subject: 'person-9',
        webhook: 'https://example.com/done',
        parents: { left: 'other-1', right: 'other-2' },
        schedule: 'nightly',
      });
      const job = keptBy(store, asked);
      const { id, created } = only(await store.enqueue({ jobs: [job] }));
      expect(created).toBe(true);
      expect(id).toMatch(new RegExp(`^${store.name}-[1-9a-z]\\w*$`));
      const { payload, createdAt, ...rest } = await read(store, id);
      expect(value(payload)).toEqual({ county: 'Kerry' });
      expect(Math.abs(createdAt - (await store.now()))).toBeLessThan(60_000);
      expect(rest).toEqual({
        id,
        kind: 'report',
        tenant: job.tenant,
        state: 'QUEUED',
        priority: 7,
        attempt: 0,
        maxAttempts: 4,
        runAt: 1_000,
        startedAt: null,
        finishedAt: null,
        worker: null,
        leaseUntil: null,
        cancelRequested: false,
        result: null,
        error: null,
        cursor: null,
        progress: null,
        key: 'report-1',
        correlationId: 'correlation-1',
        submitter: 'ann',
        subject: 'person-9',
        webhook: job.webhook ?? null,
        parents: job.parents ?? null,
        schedule: job.schedule ?? null,
        executions: [],
      });
    });
  },
};
