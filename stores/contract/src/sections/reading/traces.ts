import { expect } from 'vitest';
import {
  HOUR,
  OUTCOMES,
  PAST_LEASE_MS,
  TRACE,
  add,
  checkpoint,
  claimAll,
  claimAlone,
  claimOne,
  newJob,
  partOf,
  settle,
  start,
  times,
  wants,
} from '../../build.ts';
import type { Section } from '../../harness.ts';

export const traces: Section = {
  title: 'the trace that a job belongs to',
  checks(check) {
    check('is each job’s own, and most have none', async ({ store }) => {
      const asked = times(6, (index) => (index % 2 === 0 ? {} : { traceparent: `trace-${index}` }));
      await add(store, ...asked);
      await add(store, ...asked.map((each, index) => ({ ...each, key: key(`${index}`) })));
      const given = (await claimAll(store)).map(({ traceparent }) => traceparent);
      const expected = [null, 'trace-1', null, 'trace-3', null, 'trace-5'];
      expect(given).toEqual([...expected, ...expected]);
    });

    check('stays with it through every way back to the queue', async (world) => {
      const { store } = world;
      await start(store, { traceparent: TRACE, maxAttempts: 9 });
      await world.advance(PAST_LEASE_MS);
      let job = await claimAlone(store);
      for (const outcome of [OUTCOMES.retry, OUTCOMES.defer, OUTCOMES.handBack]) {
        expect(job.traceparent).toBe(TRACE);
        await settle(store, job, outcome);
        job = await claimOne(store);
      }
      await settle(store, job, OUTCOMES.fail);
      await store.retry({ select: { ids: [job.id] } });
      expect((await claimOne(store)).traceparent).toBe(TRACE);
    });

    check(
      'is what a child says, by whichever way it is made',
      async ({ store }) => {
        const child = (kind: string) => newJob({ kind, traceparent: `trace of ${kind}` });
        const job = await start(store);
        await checkpoint(store, job, { cursor: '1', children: [child('chunk')] });
        await settle(store, job, OUTCOMES.succeed, [child('settled')]);
        const record = { name: 'nightly', cron: '0 0 * * *', timeZone: 'UTC', kind: 'ticked' };
        await partOf(store, 'schedules').sync({ schedules: [record] });
        const tick = (await store.now()) + HOUR;
        const request = { schedule: 'nightly', tick, job: child('ticked'), skipOverlap: false };
        expect(await partOf(store, 'schedules').fire(request)).toMatchObject({ type: 'fired' });
        for (const kind of ['chunk', 'settled', 'ticked'])
          expect(await claimOne(store, { wants: wants(kind) })).toMatchObject({
            traceparent: `trace of ${kind}`,
          });
      },
      ['followers', 'chunks', 'schedules'],
    );
  },
};

function key(value: string): { value: string; windowMs: number } {
  return { value, windowMs: HOUR };
}
