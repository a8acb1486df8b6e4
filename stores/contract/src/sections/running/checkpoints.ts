import { expect } from 'vitest';
import {
  LEASE_MS,
  MINUTE,
  OUTCOMES,
  PAST_LEASE_MS,
  add,
  claimAll,
  claimAlone,
  claimOne,
  newJob,
  pair,
  partOf,
  settle,
  start,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { everything, expectBetween, expectRefused, listAll, read, value } from '../../observe.ts';

export const checkpoints: Section = {
  title: 'checkpoints',
  needs: ['chunks'],
  checks(check) {
    check('save cursor, progress, children and the lease’s end together', async (world) => {
      const { store } = world;
      const job = await start(store);
      await world.advance(MINUTE);
      const before = await store.now();
      const progress = { done: 1_000, total: 5_000, note: 'first chunk' };
      const children = [newJob({ kind: 'child' })];
      const answers = await partOf(store, 'chunks').checkpoint({
        checkpoints: [{ lease: job, step: 1, cursor: '{"after":1000}', progress, children }],
        leaseMs: LEASE_MS,
      });
      expect(answers).toEqual(['renewed']);
      const saved = await read(store, job.id);
      expect(saved).toMatchObject({ state: 'PROCESSING', progress });
      expect(value(saved.cursor)).toEqual({ after: 1_000 });
      expectBetween(saved.leaseUntil, before + LEASE_MS, (await store.now()) + LEASE_MS);
      expect(await listAll(store, { kind: 'child' })).toHaveLength(1);
    });

    check('the next worker goes on from the cursor', async (world) => {
      const { store } = world;
      const job = await start(store);
      await partOf(store, 'chunks').checkpoint({
        checkpoints: [{ lease: job, step: 1, cursor: '[7]', children: [] }],
        leaseMs: LEASE_MS,
      });
      await world.advance(PAST_LEASE_MS);
      const heir = await claimAlone(await world.open());
      expect(value(heir.cursor)).toEqual([7]);
      await settle(store, heir, OUTCOMES.handBack);
      expect(value((await claimAlone(store)).cursor)).toEqual([7]);
    });

    check(
      'a cursor that moved starts the attempts again, the same one does not',
      async ({ store }) => {
        await settle(store, await start(store, { maxAttempts: 3 }), OUTCOMES.retry);
        const second = await claimOne(store);
        expect(second.attempt).toBe(2);
        let step = 0;
        const save = async (cursor?: string): Promise<number> => {
          step += 1;
          await partOf(store, 'chunks').checkpoint({
            checkpoints: [
              {
                lease: second,
                step,
                progress: { done: 1 },
                children: [],
                ...(cursor && { cursor }),
              },
            ],
            leaseMs: LEASE_MS,
          });
          return (await read(store, second.id)).attempt;
        };
        expect(await save(), 'progress alone').toBe(2);
        expect(await save('"a"')).toBe(1);
        await settle(store, second, OUTCOMES.retry);
        const third = await claimOne(store);
        expect(third.attempt).toBe(2);
        await partOf(store, 'chunks').checkpoint({
          checkpoints: [{ lease: third, step: 1, cursor: '"a"', children: [] }],
          leaseMs: LEASE_MS,
        });
        expect((await read(store, third.id)).attempt, 'no step forward').toBe(2);
      },
    );

    check('what is left out stays as it was', async ({ store }) => {
      const job = await start(store);
      let step = 0;
      const save = (part: object): Promise<unknown> =>
        partOf(store, 'chunks').checkpoint({
          checkpoints: [{ lease: job, step: (step += 1), children: [], ...part }],
          leaseMs: LEASE_MS,
        });
      await save({ cursor: '1', progress: { done: 1 } });
      await save({ progress: { done: 2 } });
      expect(await read(store, job.id)).toMatchObject({ cursor: '1', progress: { done: 2 } });
      await save({ cursor: '2' });
      expect(await read(store, job.id)).toMatchObject({ cursor: '2', progress: { done: 2 } });
    });

    check('that come again, or late, only renew', async ({ store }) => {
      const job = await start(store);
      const save = (step: number): Promise<unknown> =>
        partOf(store, 'chunks').checkpoint({
          checkpoints: [
            {
              lease: job,
              step,
              cursor: `${step}`,
              progress: { done: step },
              children: [newJob({ kind: 'child' })],
            },
          ],
          leaseMs: LEASE_MS,
        });
      for (const step of [1, 2, 2, 1])
        expect(await save(step), `step ${step}`).toEqual(['renewed']);
      expect(await read(store, job.id)).toMatchObject({ cursor: '2', progress: { done: 2 } });
      expect(await listAll(store, { kind: 'child' })).toHaveLength(2);
    });

    check('from a stale lease change nothing, in a batch with good ones', async (world) => {
      const { store } = world;
      const zombie = await start(store);
      await world.advance(PAST_LEASE_MS);
      await claimAlone(await world.open());
      const fresh = await start(store);
      const before = await read(store, zombie.id);
      const forged = { ...fresh, claim: fresh.claim + 1 };
      const part = { cursor: '"mine"', progress: { done: 9 } };
      const answers = await partOf(store, 'chunks').checkpoint({
        checkpoints: [
          { lease: zombie, step: 1, ...part, children: [newJob({ kind: 'of-zombie' })] },
          { lease: forged, step: 1, ...part, children: [newJob({ kind: 'of-zombie' })] },
          { lease: fresh, step: 1, ...part, children: [newJob({ kind: 'of-fresh' })] },
        ],
        leaseMs: 9 * LEASE_MS,
      });
      expect(answers).toEqual(['stale', 'stale', 'renewed']);
      expect(await read(store, zombie.id)).toEqual(before);
      expect(await listAll(store, { kind: 'of-zombie' })).toEqual([]);
      expect(await listAll(store, { kind: 'of-fresh' })).toHaveLength(1);
      expect((await read(store, fresh.id)).cursor).toBe('"mine"');
    });

    check('progress alone is fenced too, also after the end', async ({ store }) => {
      const job = await start(store);
      await settle(store, job);
      const before = await everything(store);
      const checkpointed = await partOf(store, 'chunks').checkpoint({
        checkpoints: [{ lease: job, step: 1, progress: { done: 1 }, children: [newJob()] }],
        leaseMs: LEASE_MS,
      });
      expect(checkpointed).toEqual(['stale']);
      expect(await everything(store)).toEqual(before);
    });

    check('say “cancel” once someone asked, and are saved all the same', async ({ store }) => {
      const job = await start(store);
      await store.cancel({ select: { ids: [job.id] } });
      const checkpointed = await partOf(store, 'chunks').checkpoint({
        checkpoints: [{ lease: job, step: 1, cursor: '5', children: [] }],
        leaseMs: LEASE_MS,
      });
      expect(checkpointed).toEqual(['cancel']);
      expect((await read(store, job.id)).cursor).toBe('5');
    });

    check('with text that cannot be stored save none of the batch', async ({ store }) => {
      await add(store, {}, {});
      const [a, b] = pair(await claimAll(store));
      const before = await everything(store);
      const bad = [
        { cursor: '"\\u0000"' },
        { cursor: '"\ud83d"' },
        { progress: { done: 1, note: 'a\u0000b' } },
      ];
      for (const part of bad) {
        const refused = partOf(store, 'chunks').checkpoint({
          checkpoints: [
            { lease: a, step: 1, cursor: '1', children: [newJob({ kind: 'child' })] },
            { lease: b, step: 1, children: [], ...part },
          ],
          leaseMs: 9 * LEASE_MS,
        });
        await expectRefused(refused);
        expect(await everything(store)).toEqual(before);
      }
    });
  },
};
