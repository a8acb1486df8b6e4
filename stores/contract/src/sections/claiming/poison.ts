import type { JsonText } from '@millrace/engine';
import { expect } from 'vitest';
import {
  LEASE_MS,
  add,
  childOn,
  claimAll,
  idsOf,
  newJob,
  settlement,
  start,
  succeeded,
  times,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { everything, expectRefused, read, statesOf, value } from '../../observe.ts';

/** Text that Postgres cannot keep, and therefore no store may. */
const POISON: Readonly<Record<string, JsonText>> = {
  'an escaped NUL': '{"text":"a\\u0000b"}',
  'a raw NUL': '{"text":"a\u0000b"}',
  'half a surrogate pair, escaped': '{"text":"\\ud83d"}',
  'half a surrogate pair, raw': '{"text":"\ud83d"}',
  'a NUL in a name': '{"a\\u0000b":1}',
};

export const poison: Section = {
  title: 'text that cannot be stored',
  checks(check) {
    check(
      'in a result: the whole batch is refused, then the good ones settle',
      async ({ store }) => {
        await add(store, ...times(5, () => ({})));
        const jobs = await claimAll(store);
        const good = jobs.map((job, index) =>
          settlement(job, succeeded(`${index}`), childOn(store)),
        );
        const before = await everything(store);
        for (const [what, result] of Object.entries(POISON)) {
          const settlements = good.map((each, index) =>
            index === 2 ? { ...each, outcome: succeeded(result) } : each,
          );
          await expectRefused(store.settle({ settlements }));
          expect(await everything(store), what).toEqual(before);
        }
        // The engine splits the batch: each half is whole again.
        expect(await store.settle({ settlements: good.slice(0, 2) })).toEqual([
          'settled',
          'settled',
        ]);
        expect(await store.settle({ settlements: good.slice(3) })).toEqual(['settled', 'settled']);
        const bad = jobs.slice(2, 3);
        expect(await store.renew({ leases: bad, leaseMs: LEASE_MS })).toEqual(['renewed']);
        expect(await statesOf(store, idsOf(jobs))).toEqual([
          'SUCCEEDED',
          'SUCCEEDED',
          'PROCESSING',
          'SUCCEEDED',
          'SUCCEEDED',
        ]);
      },
    );

    check('in deferred data or a child: nothing changes', async ({ store }) => {
      const job = await start(store);
      const before = await everything(store);
      for (const [what, text] of Object.entries(POISON)) {
        await expectRefused(
          store.settle({
            settlements: [settlement(job, { move: 'defer', payload: text, delayMs: 0 })],
          }),
        );
        const children = childOn(store).map((child) => ({ ...child, payload: text }));
        if (children.length > 0)
          await expectRefused(
            store.settle({ settlements: [settlement(job, succeeded(), children)] }),
          );
        expect(await everything(store), what).toEqual(before);
      }
    });

    check('in a payload: none of the jobs is added', async ({ store }) => {
      await add(store, {});
      const before = await everything(store);
      for (const [what, payload] of Object.entries(POISON)) {
        const jobs = [newJob(), newJob({ payload }), newJob({ key: { value: 'k', windowMs: 1 } })];
        await expectRefused(store.enqueue({ jobs }));
        expect(await everything(store), what).toEqual(before);
      }
    });

    check('what only looks like it is kept', async ({ store }) => {
      const harmless = ['{"a":"\\\\u0000"}', '"\\ud83d\\ude00"', '"\\\\ud83d"', '"\ud83d\ude00"'];
      const ids = await add(store, ...harmless.map((payload) => ({ payload })));
      const jobs = await claimAll(store);
      const settlements = jobs.map((job) => settlement(job, succeeded(job.payload ?? '')));
      await store.settle({ settlements });
      for (const [index, id] of ids.entries()) {
        const { payload, result } = await read(store, id);
        expect(value(payload)).toEqual(JSON.parse(harmless[index] ?? ''));
        expect(value(result)).toEqual(value(payload));
      }
    });
  },
};
