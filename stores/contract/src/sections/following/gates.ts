import {
  type ClaimedJob,
  type ClosedGate,
  type Dependants,
  FINISHED_STATES,
  type FinishedState,
  type Job,
  type Store,
} from '@millrace/engine';
import { expect } from 'vitest';
import {
  HOUR,
  MINUTE,
  OUTCOMES,
  PAST_LEASE_MS,
  add,
  claimAll,
  claimAlone,
  claimOne,
  idsOf,
  loseForGood,
  newJob,
  only,
  pair,
  partOf,
  settle,
  settlement,
  start,
  times,
  wants,
} from '../../build.ts';
import type { Section, World } from '../../harness.ts';
import { byKey, expectBetween, listAll, value } from '../../observe.ts';

/** A child of kind `both` per key, when each of the slots has had a parent end in one of the states. */
function gate(
  slots: readonly string[],
  states: readonly FinishedState[] = FINISHED_STATES,
): Dependants {
  return (job) => {
    if (!slots.includes(job.kind) || !states.includes(job.state)) return [];
    const key = String(value(job.payload));
    return [
      {
        child: newJob({ kind: 'both', payload: JSON.stringify(key) }),
        gate: { rule: 'rule', key, slot: job.kind, slots, withinMs: HOUR },
      },
    ];
  };
}

const both = gate(['left', 'right']);

function parent(kind: string, key: string): { kind: string; payload: string } {
  return { kind, payload: JSON.stringify(key) };
}

async function childrenOf(store: Store, key: string): Promise<Job[]> {
  const children = await listAll(store, { kind: 'both' });
  return children.filter(({ payload }) => value(payload) === key);
}

function closeGates(store: Store, params: { limit: number }): Promise<ClosedGate[]> {
  return partOf(store, 'followers').closeGates(params);
}

async function two(world: World, dependants = both): Promise<[Store, Store]> {
  return pair(await world.several(2, { dependants }));
}

export const gates: Section = {
  title: 'gates: a child of several parents',
  needs: ['followers'],
  checks(check) {
    check('one that is open is found by who is there', async (world) => {
      const [store] = await two(world);
      const { gates: find } = partOf(store, 'followers');
      const left = await start(store, parent('left', 'k'), { wants: wants('left') });
      const other = await start(store, parent('left', 'other'), { wants: wants('left') });
      expect(await find({ arrived: [left.id], limit: 9 })).toEqual([]);
      const before = await store.now();
      await settle(store, left);
      await settle(store, other);
      const [open, ...rest] = await find({ arrived: [left.id, 'nonsense'], limit: 9 });
      expect([open, rest]).toMatchObject([
        { rule: 'rule', key: 'k', arrived: { left: left.id } },
        [],
      ]);
      expectBetween(open?.closesAt ?? null, before + HOUR, (await store.now()) + HOUR);
      expect(await find({ arrived: [left.id, other.id], limit: 1 })).toHaveLength(1);
      await settle(store, await start(store, parent('right', 'k'), { wants: wants('right') }));
      expect(await find({ arrived: [left.id], limit: 9 })).toEqual([]);
    });

    check('opens when the last parent has come', async (world) => {
      const [store, other] = await two(world);
      const left = await start(store, parent('left', 'k'));
      const right = await start(store, parent('right', 'k'));
      await settle(store, left);
      expect(await childrenOf(store, 'k')).toEqual([]);
      await settle(other, right);
      expect(only(await childrenOf(store, 'k'))).toMatchObject({
        state: 'QUEUED',
        parents: { left: left.id, right: right.id },
      });
    });

    check('parents that end at the same moment make exactly one child', async (world) => {
      const [one, other] = await two(world);
      for (let round = 0; round < 20; round += 1) {
        const key = `round-${round}`;
        const left = await start(one, parent('left', key));
        const right = await start(other, parent('right', key));
        const answers = await Promise.all([settle(one, left), settle(other, right)]);
        expect(answers).toEqual(['settled', 'settled']);
        expect(only(await childrenOf(one, key)).parents, key).toEqual({
          left: left.id,
          right: right.id,
        });
      }
    });

    check('whole batches in opposite orders make one child for each key', async (world) => {
      const [one, other] = await two(world);
      const keys = times(25, (index) => `key-${index}`);
      await add(one, ...keys.map((key) => parent('left', key)));
      await add(one, ...keys.map((key) => parent('right', key)));
      const lefts = await claimAll(one, { wants: wants('left') });
      const rights = await claimAll(other, { wants: wants('right') });
      await Promise.all([settleBatch(one, lefts), settleBatch(other, rights.toReversed())]);
      const children = await listAll(one, { kind: 'both' });
      expect(children.map(({ payload }) => String(value(payload))).toSorted()).toEqual(
        keys.toSorted(),
      );
      expect(children.every(({ parents }) => Object.keys(parents ?? {}).length === 2)).toBe(true);
    });

    check('parents in one batch make one child', async (world) => {
      const [store] = await two(world);
      const left = await start(store, parent('left', 'k'));
      const right = await start(store, parent('right', 'k'));
      await settleBatch(store, [left, right]);
      expect(only(await childrenOf(store, 'k')).parents).toEqual({
        left: left.id,
        right: right.id,
      });
    });

    check('keys do not mix', async (world) => {
      const [store] = await two(world);
      await settle(store, await start(store, parent('left', 'a')));
      await settle(store, await start(store, parent('right', 'b')));
      expect(await listAll(store, { kind: 'both' })).toEqual([]);
    });

    check('waits for all of three', async (world) => {
      const [store] = await two(world, gate(['left', 'middle', 'right']));
      const parents: Record<string, string> = {};
      for (const kind of ['right', 'left', 'middle']) {
        expect(await childrenOf(store, 'k')).toEqual([]);
        const job = await start(store, parent(kind, 'k'));
        parents[kind] = job.id;
        await settle(store, job);
      }
      expect(only(await childrenOf(store, 'k')).parents).toEqual(parents);
    });

    check('of two for one slot the latest counts', async (world) => {
      const [store] = await two(world);
      await settle(store, await start(store, parent('left', 'k')));
      const later = await start(store, parent('left', 'k'));
      await settle(store, later);
      expect(await childrenOf(store, 'k')).toEqual([]);
      const right = await start(store, parent('right', 'k'));
      await settle(store, right);
      expect(only(await childrenOf(store, 'k')).parents).toEqual({
        left: later.id,
        right: right.id,
      });
    });

    check('after it opened, a new round begins', async (world) => {
      const [store] = await two(world);
      const arrive = async (kind: string): Promise<string> => {
        const job = await start(store, parent(kind, 'k'));
        await settle(store, job);
        return job.id;
      };
      const first = { left: await arrive('left'), right: await arrive('right') };
      // The one that opened the gate comes first this time: nothing of the old round may be left.
      const right = await arrive('right');
      expect(await childrenOf(store, 'k'), 'it waits for its own').toHaveLength(1);
      const second = { left: await arrive('left'), right };
      const children = await childrenOf(store, 'k');
      expect(children.map(({ parents }) => parents)).toEqual([second, first]);
      await world.advance(2 * HOUR);
      expect(await closeGates(store, { limit: 10 }), 'none is open').toEqual([]);
    });

    check('is reached by every sort of end', async (world) => {
      const [store] = await two(world);
      // Failed, canceled while waiting, and lost with its worker: each beside one that succeeded.
      await settle(store, await start(store, parent('left', 'fail')), OUTCOMES.fail);
      await settle(store, await start(store, parent('right', 'fail')));
      await add(store, parent('left', 'cancel'));
      await store.cancel({ select: { filter: { kind: 'left', state: 'QUEUED' }, limit: 1 } });
      await settle(store, await start(store, parent('right', 'cancel')));
      const { answer } = await loseForGood(world, store, parent('left', 'lost'));
      expect(answer.lost).toHaveLength(1);
      await settle(store, await start(store, parent('right', 'lost')));
      for (const key of ['fail', 'cancel', 'lost']) {
        expect(await childrenOf(store, key), key).toHaveLength(1);
      }
    });

    check('a parent that fails and succeeds later comes late, but comes', async (world) => {
      const [store] = await two(world, gate(['left', 'right'], ['SUCCEEDED']));
      const left = await start(store, parent('left', 'k'));
      await settle(store, left, OUTCOMES.fail);
      const right = await start(store, parent('right', 'k'));
      await settle(store, right);
      expect(await childrenOf(store, 'k')).toEqual([]);
      await store.retry({ select: { ids: [left.id] } });
      await settle(store, await claimOne(store, { wants: wants('left') }));
      expect(only(await childrenOf(store, 'k')).parents).toEqual({
        left: left.id,
        right: right.id,
      });
    });

    check('is closed when its time is over, and the rule learns who had come', async (world) => {
      const [store] = await two(world);
      const jobs = [];
      for (const key of ['a', 'b']) {
        const job = await start(store, parent('left', key));
        await settle(store, job);
        jobs.push(job);
      }
      await world.advance(HOUR - 10 * MINUTE);
      expect(await closeGates(store, { limit: 10 }), 'not yet').toEqual([]);
      await world.advance(10 * MINUTE + 1);
      const [a, b] = idsOf(jobs);
      const first = await closeGates(store, { limit: 1 });
      expect(first).toHaveLength(1);
      const closed = [...first, ...(await closeGates(store, { limit: 10 }))];
      expect(byKey(closed)).toEqual([
        { rule: 'rule', key: 'a', arrived: { left: a } },
        { rule: 'rule', key: 'b', arrived: { left: b } },
      ]);
      expect(await closeGates(store, { limit: 10 })).toEqual([]);
      // Whoever comes now begins again.
      await settle(store, await start(store, parent('right', 'a')));
      expect(await childrenOf(store, 'a')).toEqual([]);
      await settle(store, await start(store, parent('left', 'a')));
      expect(await childrenOf(store, 'a')).toHaveLength(1);
    });

    check('takes nobody whose time is over, though nobody has closed it yet', async (world) => {
      const [store] = await two(world);
      await settle(store, await start(store, parent('left', 'k')));
      await world.advance(HOUR + MINUTE);
      const right = await start(store, parent('right', 'k'));
      await settle(store, right);
      expect(await childrenOf(store, 'k'), 'the other has waited too long').toEqual([]);
      await world.advance(HOUR - MINUTE);
      const left = await start(store, parent('left', 'k'));
      await settle(store, left);
      expect(only(await childrenOf(store, 'k')).parents).toEqual({
        left: left.id,
        right: right.id,
      });
    });

    check('is closed once, by one of several', async (world) => {
      const [one, other] = await two(world);
      const keys = times(10, (index) => `key-${index}`);
      await add(one, ...keys.map((key) => parent('left', key)));
      await settleBatch(one, await claimAll(one, { wants: wants('left') }));
      await world.advance(HOUR + 1);
      const closed = await Promise.all([
        closeGates(one, { limit: 99 }),
        closeGates(other, { limit: 99 }),
      ]);
      expect(byKey(closed.flat()).map(({ key }) => key)).toEqual(keys);
    });

    check('a stale settlement is no arrival', async (world) => {
      const [store] = await two(world);
      const zombie = await start(store, parent('left', 'k'));
      await world.advance(PAST_LEASE_MS);
      await claimAlone(store, { wants: wants('left') });
      await settle(store, await start(store, parent('right', 'k')));
      expect(await settle(store, zombie)).toBe('stale');
      expect(await childrenOf(store, 'k')).toEqual([]);
    });
  },
};

async function settleBatch(store: Store, jobs: readonly ClaimedJob[]): Promise<void> {
  const answers = await store.settle({ settlements: jobs.map((job) => settlement(job)) });
  expect(answers).toEqual(jobs.map(() => 'settled'));
}
