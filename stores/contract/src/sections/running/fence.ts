import type { ClaimedJob, Store } from '@millrace/engine';
import { expect } from 'vitest';
import {
  LEASE_MS,
  OUTCOMES,
  PAST_LEASE_MS,
  claimAll,
  claimAlone,
  claimOne,
  childOn,
  only,
  settle,
  settlement,
  start,
  succeeded,
  together,
} from '../../build.ts';
import type { Section, World } from '../../harness.ts';
import { everything, listAll, read, stateOf } from '../../observe.ts';

/** A worker that went silent, and the one that has its job now. */
async function zombieAndHeir(world: World): Promise<{ zombie: ClaimedJob; heir: ClaimedJob }> {
  const zombie = await start(world.store, { payload: '{"poll":1}' }, { worker: 'zombie' });
  await world.advance(PAST_LEASE_MS);
  const other = await world.open();
  return { zombie, heir: await claimAlone(other, { worker: 'heir' }) };
}

export const fence: Section = {
  title: 'the fence: a stale lease changes nothing',
  checks(check) {
    for (const outcome of Object.values(OUTCOMES)) {
      check(`${outcome.move} is refused, with its children`, async (world) => {
        const { zombie, heir } = await zombieAndHeir(world);
        const before = await everything(world.store);
        expect(await settle(world.store, zombie, outcome, childOn(world.store))).toBe('stale');
        expect(await everything(world.store)).toEqual(before);
        expect(await settle(world.store, heir)).toBe('settled');
      });
    }

    check('renew is refused', async (world) => {
      const { zombie, heir } = await zombieAndHeir(world);
      const before = await everything(world.store);
      expect(await world.store.renew({ leases: [zombie], leaseMs: 9 * LEASE_MS })).toEqual([
        'stale',
      ]);
      expect(await everything(world.store)).toEqual(before);
      expect(await world.store.renew({ leases: [heir], leaseMs: LEASE_MS })).toEqual(['renewed']);
    });

    check('it holds after the job has gone back, moved on or ended', async (world) => {
      const { store } = world;
      const { zombie, heir } = await zombieAndHeir(world);
      await settle(store, heir, { move: 'handBack' });
      await expectStale(store, zombie, 'while it waits');
      const third = await claimAlone(store);
      await expectStale(store, zombie, 'while another runs it');
      await settle(store, third, succeeded('"third"'));
      await expectStale(store, zombie, 'after its end');
      expect(await read(store, zombie.id)).toMatchObject({ state: 'SUCCEEDED', result: '"third"' });
    });

    check('it holds for the same worker under an earlier epoch', async ({ store }) => {
      const first = await start(store);
      await settle(store, first, { move: 'handBack' });
      const second = await claimOne(store);
      expect(await store.renew({ leases: [first], leaseMs: LEASE_MS })).toEqual(['stale']);
      expect(await settle(store, first)).toBe('already');
      expect(await stateOf(store, first.id)).toBe('PROCESSING');
      expect(await settle(store, second)).toBe('settled');
    });

    check(
      'an epoch that was never given, or was given for another job, is stale',
      async (world) => {
        const { store } = world;
        const a = await start(store);
        const b = await start(store);
        const before = await everything(store);
        const forged = [
          // Where epochs are each job's own, two may have the same.
          ...(a.epoch === b.epoch
            ? []
            : [
                { ...a, epoch: b.epoch },
                { ...b, epoch: a.epoch },
              ]),
          { ...b, epoch: b.epoch + 1 },
          // After a fail-over that lost commits an epoch can come again: the number of its claim cannot.
          ...(world.harness.limits?.epochsFence === true
            ? []
            : [
                { ...a, claim: a.claim + 1 },
                { ...a, claim: b.claim },
                { ...a, claim: 0 },
              ]),
          { ...a, epoch: 0 },
          { ...a, id: `${store.name}-999999` },
          { ...a, id: 'elsewhere-1' },
          { ...a, id: 'nonsense' },
        ];
        for (const lease of forged) {
          expect(await settle(store, lease, succeeded(), childOn(store)), lease.id).toBe('stale');
          expect(await store.renew({ leases: [lease], leaseMs: LEASE_MS })).toEqual(['stale']);
        }
        expect(await everything(store)).toEqual(before);
      },
    );

    check('in a batch it stops the stale ones only', async (world) => {
      const { store } = world;
      const { zombie, heir } = await zombieAndHeir(world);
      const fresh = await start(store);
      const settlements = [
        settlement(zombie, OUTCOMES.fail, childOn(store, 'of-zombie')),
        settlement(fresh, OUTCOMES.succeed, childOn(store, 'of-fresh')),
      ];
      expect(await store.settle({ settlements })).toEqual(['stale', 'settled']);
      expect(await stateOf(store, zombie.id)).toBe('PROCESSING');
      expect(await stateOf(store, fresh.id)).toBe('SUCCEEDED');
      expect(await listAll(store, { kind: 'of-zombie' })).toEqual([]);
      const made = await listAll(store, { kind: 'of-fresh' });
      expect(made).toHaveLength(childOn(store).length);
      const leases = [zombie, heir, fresh];
      const answers = await store.renew({ leases, leaseMs: LEASE_MS });
      expect(answers).toEqual(['stale', 'renewed', 'stale']);
    });

    check('a repeated settlement is “already”, and does nothing again', async (world) => {
      const { store } = world;
      const other = await world.open();
      for (const outcome of Object.values(OUTCOMES)) {
        const job = await start(store, { kind: outcome.move });
        expect(await settle(store, job, outcome, childOn(store))).toBe('settled');
        const before = await everything(store);
        expect(await settle(other, job, outcome, childOn(store)), outcome.move).toBe('already');
        if (world.harness.limits?.epochsFence !== true) {
          const forged = { ...job, claim: job.claim + 1 };
          expect(await settle(other, forged, outcome, childOn(store)), 'another’s').toBe('stale');
        }
        expect(await everything(store)).toEqual(before);
      }
    });

    check(
      '“already” is for the last lease that settled, “stale” for those before',
      async (world) => {
        const { store } = world;
        const first = await start(store);
        expect(await settle(store, first, OUTCOMES.retry)).toBe('settled');
        const second = await claimOne(await world.open(), { worker: 'worker-2' });
        expect(await settle(store, first), 'the second has not settled yet').toBe('already');
        expect(await stateOf(store, first.id)).toBe('PROCESSING');
        expect(await settle(store, second, succeeded('"second"'))).toBe('settled');
        expect(await settle(store, first, OUTCOMES.retry)).toBe('stale');
        expect(await settle(store, second)).toBe('already');
        expect(await read(store, first.id)).toMatchObject({
          state: 'SUCCEEDED',
          result: '"second"',
        });
      },
    );

    check('two that settle one lease at once: one settles, one has “already”', async (world) => {
      const handles = await world.several(2);
      for (let round = 0; round < 10; round += 1) {
        const job = await start(world.store, { kind: `round-${round}` });
        const answers = await together(handles, (store) =>
          settle(store, job, succeeded(), childOn(store)),
        );
        expect(answers.map(String).toSorted(), `round ${round}`).toEqual(['already', 'settled']);
      }
      const children = await claimAll(world.store, { wants: [{ kind: 'child', limit: 99 }] });
      expect(children).toHaveLength(10 * childOn(world.store).length);
    });
  },
};

async function expectStale(store: Store, lease: ClaimedJob, when: string): Promise<void> {
  const before = await everything(store);
  const answers = await store.settle({
    settlements: [settlement(lease, succeeded(), childOn(store))],
  });
  expect(only(answers), when).toBe('stale');
  expect(await store.renew({ leases: [lease], leaseMs: LEASE_MS }), when).toEqual(['stale']);
  expect(await everything(store), when).toEqual(before);
}
