import type { Hint, Store } from '@millrace/engine';
import { expect } from 'vitest';
import { HOUR, OUTCOMES, add, addOne, childOn, claimOne, partOf, settle, start } from '../build.ts';
import type { Section } from '../harness.ts';

/** Resolves with the first hint that fits; the test's own time limit is the only one. */
function hinted(store: Store, fits: (hint: Hint) => boolean): Promise<Hint> {
  return new Promise((resolve) => {
    const stop = store.watch((hint) => {
      if (!fits(hint)) return;
      stop();
      resolve(hint);
    });
  });
}

function ready(store: Store, kind: string): Promise<Hint> {
  return hinted(store, (hint) => hint.type === 'ready' && hint.kinds.includes(kind));
}

export const hints: Section = {
  title: 'hints',
  needs: ['hints'],
  checks(check) {
    check('new work is announced to every handle, once per kind', async (world) => {
      const other = await world.open();
      const heard = [ready(world.store, 'a'), ready(other, 'a'), ready(other, 'b')];
      await add(world.store, { kind: 'a' }, { kind: 'a' }, { kind: 'b' });
      for (const hint of await Promise.all(heard)) {
        expect(hint).toMatchObject({ type: 'ready' });
        if (hint.type === 'ready') expect(new Set(hint.kinds).size).toBe(hint.kinds.length);
      }
    });

    check('work for later is announced too', async (world) => {
      const other = await world.open();
      const heard = ready(other, 'later');
      await addOne(world.store, { kind: 'later', due: { afterMs: HOUR } });
      await heard;
    });

    check('work that comes back is announced', async (world) => {
      const { store } = world;
      const other = await world.open();
      for (const outcome of [OUTCOMES.retry, OUTCOMES.defer, OUTCOMES.handBack]) {
        const job = await start(store, { kind: outcome.move });
        const heard = ready(other, outcome.move);
        await settle(store, job, outcome);
        await heard;
      }
      const failed = await start(store, { kind: 'failed' });
      await settle(store, failed, OUTCOMES.fail);
      const heard = ready(other, 'failed');
      await store.retry({ select: { ids: [failed.id] } });
      await heard;
      expect(await claimOne(other, { wants: [{ kind: 'failed', limit: 1 }] })).toMatchObject({
        id: failed.id,
      });
    });

    check(
      'children are announced',
      async (world) => {
        const other = await world.open();
        const job = await start(world.store);
        const heard = ready(other, 'child');
        await settle(world.store, job, OUTCOMES.succeed, childOn(world.store));
        await heard;
      },
      ['followers'],
    );

    check('a request to stop is announced with the ids', async (world) => {
      const other = await world.open();
      const job = await start(world.store);
      const heard = hinted(world.store, ({ type }) => type === 'cancel');
      await other.cancel({ select: { ids: [job.id] } });
      expect(await heard).toEqual({
        type: 'cancel',
        leases: [{ id: job.id, epoch: job.epoch, claim: job.claim }],
      });
    });

    check(
      'pause and resume are announced',
      async (world) => {
        const other = await world.open();
        for (const act of ['pause', 'resume'] as const) {
          const heard = hinted(other, ({ type }) => type === 'control');
          await partOf(world.store, 'control')[act]({ kind: 'work', by: null });
          expect(await heard).toEqual({ type: 'control' });
        }
      },
      ['control'],
    );

    check('who stopped listening hears no more, and who throws harms nobody', async (world) => {
      const { store } = world;
      const heard: Hint[] = [];
      const stop = store.watch((hint) => heard.push(hint));
      stop();
      store.watch(() => {
        throw new Error('A listener of no good.');
      });
      const others = [ready(store, 'work'), ready(await world.open(), 'work')];
      await addOne(store);
      await Promise.all(others);
      expect(heard).toEqual([]);
    });
  },
};
