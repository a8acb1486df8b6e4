import type { FireParams, Fired, ScheduleStatus, Store } from '@millrace/engine';
import { expect } from 'vitest';
import {
  MINUTE,
  OUTCOMES,
  claimOne,
  newJob,
  only,
  partOf,
  settle,
  times,
  together,
} from '../../build.ts';
import type { Section } from '../../harness.ts';
import { countsByState, expectBetween, listAll, read } from '../../observe.ts';

const NIGHTLY = { name: 'nightly', cron: '0 2 * * *', timeZone: 'Europe/Dublin', kind: 'work' };

async function sync(
  store: Store,
  ...changes: Partial<typeof NIGHTLY>[]
): Promise<ScheduleStatus[]> {
  return partOf(store, 'schedules').sync({
    schedules: changes.map((change) => ({ ...NIGHTLY, ...change })),
  });
}

async function status(store: Store, name = 'nightly'): Promise<ScheduleStatus> {
  return only(
    (await partOf(store, 'schedules').all()).filter((schedule) => schedule.name === name),
  );
}

function fire(store: Store, params: FireParams): Promise<Fired> {
  return partOf(store, 'schedules').fire(params);
}

function tickAt(tick: number, changes: Partial<FireParams> = {}): FireParams {
  const job = newJob({ schedule: 'nightly' });
  return { schedule: 'nightly', tick, job, skipOverlap: false, ...changes };
}

export const schedules: Section = {
  title: 'schedules',
  needs: ['schedules'],
  checks(check) {
    check('a new one counts from now', async ({ store }) => {
      const before = await store.now();
      const [synced] = await sync(store, {});
      expect(synced).toMatchObject({ ...NIGHTLY, lastJob: null });
      expectBetween(synced?.lastTick ?? null, before, await store.now());
      expect(await status(store)).toEqual(synced);
    });

    check('a paused one passes its ticks over, and is run by hand all the same', async (world) => {
      const { store } = world;
      await sync(store, {});
      const part = partOf(store, 'schedules');
      expect(await part.pause({ name: 'nightly', by: 'ada' })).toBe(true);
      expect(await part.pause({ name: 'nightly', by: 'bob' })).toBe(false);
      expect(await part.pause({ name: 'nobody', by: null })).toBe(false);
      expect((await status(await world.open())).paused).toMatchObject({ by: 'ada' });
      expect((await sync(store, {}))[0]?.paused).toMatchObject({ by: 'ada' });
      await world.advance(MINUTE);
      const tick = await store.now();
      expect(await fire(store, tickAt(tick))).toEqual({ type: 'paused' });
      expect(await fire(store, tickAt(tick))).toEqual({ type: 'taken' });
      expect(await listAll(store)).toEqual([]);
      expect(await fire(store, tickAt(0, { tick: null }))).toMatchObject({ type: 'fired' });
      expect(await part.resume({ name: 'nightly' })).toBe(true);
      expect(await part.resume({ name: 'nightly' })).toBe(false);
      expect((await status(store)).paused).toBeNull();
      await world.advance(MINUTE);
      expect(await fire(store, tickAt(await store.now()))).toMatchObject({ type: 'fired' });
    });

    check('one that is removed is forgotten with its pause, and its jobs stay', async (world) => {
      const { store } = world;
      await sync(store, {}, { name: 'other' });
      const part = partOf(store, 'schedules');
      expect(await fire(store, tickAt(0, { tick: null }))).toMatchObject({ type: 'fired' });
      await part.pause({ name: 'nightly', by: 'ada' });
      expect(await part.remove({ name: 'nightly' })).toBe(true);
      expect(await part.remove({ name: 'nightly' })).toBe(false);
      expect(await (await world.open()).schedules?.all()).toMatchObject([{ name: 'other' }]);
      expect(only(await listAll(store))).toMatchObject({ schedule: 'nightly', state: 'QUEUED' });
      expect(await fire(store, tickAt(await store.now()))).toEqual({ type: 'unknown' });
      // A process that declares it all the same brings it back, as a new one.
      await world.advance(MINUTE);
      const before = await store.now();
      await sync(store, {});
      const back = await status(store);
      expect(back).toMatchObject({ lastJob: null, paused: null });
      expectBetween(back.lastTick, before, await store.now());
    });

    check('one that is run by hand takes no tick, and counts as its last job', async (world) => {
      const { store } = world;
      await sync(store, {});
      const { lastTick } = await status(store);
      await world.advance(MINUTE);
      const fired = await fire(store, tickAt(0, { tick: null, skipOverlap: true }));
      expect(await status(store)).toMatchObject({
        lastTick,
        lastJob: fired.type === 'fired' ? fired.id : null,
      });
      const again = tickAt(0, { tick: null, skipOverlap: true });
      expect(await fire(store, again)).toMatchObject({ type: 'overlap' });
      const tick = await store.now();
      expect(await fire(store, tickAt(tick, { skipOverlap: true }))).toMatchObject({
        type: 'overlap',
      });
      await settle(store, await claimOne(store), OUTCOMES.succeed);
      expect(await fire(store, again)).toMatchObject({ type: 'fired' });
    });

    check('a tick of a clock that was ahead for a while is in nobody’s way', async (world) => {
      const { store } = world;
      await sync(store, {});
      await world.advance(60 * MINUTE);
      const ahead = await store.now();
      expect(await fire(store, tickAt(ahead))).toMatchObject({ type: 'fired' });
      await world.advance(-30 * MINUTE);
      const now = await store.now();
      expect(await fire(store, tickAt(now))).toMatchObject({ type: 'fired' });
      expect(await fire(await world.open(), tickAt(now))).toEqual({ type: 'taken' });
      // Set back by less than a minute, a clock brings no tick twice.
      await world.advance(-MINUTE / 2);
      expect(await fire(store, tickAt(now))).toEqual({ type: 'taken' });
      expect((await status(store)).lastTick).toBe(now);
    });

    check('one that is known keeps its last tick, unless its plan changed', async (world) => {
      const { store } = world;
      const other = await world.open();
      await sync(store, {}, { name: 'other' });
      const { lastTick } = await status(store);
      await world.advance(MINUTE);
      await sync(other, {});
      expect((await status(store)).lastTick).toBe(lastTick);
      for (const change of [{ cron: '0 3 * * *' }, { cron: '0 3 * * *', timeZone: 'UTC' }]) {
        await world.advance(MINUTE);
        const before = await store.now();
        await sync(store, change);
        const changed = await status(store);
        expect(changed).toMatchObject(change);
        expectBetween(changed.lastTick, before, await store.now());
      }
      expect((await status(store, 'other')).lastTick).toBe(lastTick);
    });

    check('a tick fired by ten at once fires once', async (world) => {
      const handles = await world.several(5);
      await sync(world.store, {});
      const now = await world.store.now();
      for (let round = 1; round <= 5; round += 1) {
        const requests = times(10, (index) => handles[index % 5] ?? world.store);
        const fired = await together(requests, (store) =>
          fire(store, tickAt(now + round * MINUTE)),
        );
        const types = fired.map(({ type }) => type).toSorted();
        expect(types, `round ${round}`).toEqual(['fired', ...times(9, () => 'taken')]);
      }
      expect(await countsByState(world.store)).toEqual({ QUEUED: 5 });
    });

    check('a fired tick makes its job', async ({ store }) => {
      await sync(store, {});
      const tick = (await store.now()) + MINUTE;
      const fired = await fire(store, tickAt(tick));
      const job = only(await listAll(store));
      expect(fired).toEqual({ type: 'fired', id: job.id });
      expect(job).toMatchObject({ kind: 'work', state: 'QUEUED', schedule: 'nightly' });
      expect(await status(store)).toMatchObject({ lastTick: tick, lastJob: job.id });
    });

    check('time goes one way: this tick and those before are taken', async ({ store }) => {
      await sync(store, {});
      const tick = (await store.now()) + 10 * MINUTE;
      expect(await fire(store, tickAt(tick))).toMatchObject({ type: 'fired' });
      expect(await fire(store, tickAt(tick))).toEqual({ type: 'taken' });
      expect(await fire(store, tickAt(tick - MINUTE))).toEqual({ type: 'taken' });
      expect(await fire(store, tickAt(tick - MINUTE, { job: null }))).toEqual({ type: 'taken' });
      expect((await status(store)).lastTick).toBe(tick);
      expect(await fire(store, tickAt(tick + 1))).toMatchObject({ type: 'fired' });
      expect(await countsByState(store)).toEqual({ QUEUED: 2 });
    });

    check('a tick can be passed over', async ({ store }) => {
      await sync(store, {});
      const tick = (await store.now()) + MINUTE;
      expect(await fire(store, tickAt(tick, { job: null }))).toEqual({ type: 'passed' });
      expect(await status(store)).toMatchObject({ lastTick: tick, lastJob: null });
      expect(await fire(store, tickAt(tick)), 'it is used up').toEqual({ type: 'taken' });
      expect(await countsByState(store)).toEqual({});
    });

    check('while the last job is alive, a tick may be passed over', async ({ store }) => {
      await sync(store, {});
      const now = await store.now();
      const skip = (minute: number): FireParams =>
        tickAt(now + minute * MINUTE, { skipOverlap: true });
      expect(await fire(store, skip(1))).toMatchObject({ type: 'fired' });
      const { id } = only(await listAll(store));
      expect(await fire(store, skip(2)), 'it waits').toEqual({ type: 'overlap', id });
      expect((await status(store)).lastTick, 'used up all the same').toBe(now + 2 * MINUTE);
      const job = await claimOne(store);
      expect(await fire(store, skip(3)), 'it runs').toEqual({ type: 'overlap', id });
      expect(await fire(store, tickAt(now + 4 * MINUTE)), 'beside it').toMatchObject({
        type: 'fired',
      });
      await settle(store, job);
      await settle(store, await claimOne(store), OUTCOMES.fail);
      expect(await fire(store, skip(5)), 'it has ended').toMatchObject({ type: 'fired' });
    });

    check('while the last job is alive, a tick may be left for later', async (world) => {
      const { store } = world;
      await sync(store, {});
      const now = await store.now();
      const keep = (minute: number): FireParams =>
        tickAt(now + minute * MINUTE, { skipOverlap: true, keepOverlap: true });
      expect(await fire(store, keep(1))).toMatchObject({ type: 'fired' });
      const { id } = only(await listAll(store));
      const before = await status(store);
      expect(await fire(store, keep(2)), 'it waits').toEqual({ type: 'overlap', id });
      const job = await claimOne(store);
      expect(await fire(await world.open(), keep(2)), 'it runs').toEqual({ type: 'overlap', id });
      expect(await status(store), 'nothing is taken').toEqual(before);
      expect(await fire(store, keep(1)), 'the one before is').toEqual({ type: 'taken' });
      await partOf(store, 'schedules').pause({ name: 'nightly', by: 'ada' });
      expect(await fire(store, keep(2)), 'a pause passes it over').toEqual({ type: 'paused' });
      await partOf(store, 'schedules').resume({ name: 'nightly' });
      await settle(store, job, OUTCOMES.succeed);
      expect(await fire(store, keep(3)), 'it has ended').toMatchObject({ type: 'fired' });
      expect((await status(store)).lastTick).toBe(now + 3 * MINUTE);
    });

    check('a tick of a schedule that the store does not have is nobody’s', async ({ store }) => {
      const tick = (await store.now()) + MINUTE;
      for (const job of [newJob(), null])
        expect(await fire(store, tickAt(tick, { job }))).toEqual({ type: 'unknown' });
      expect(await partOf(store, 'schedules').all()).toEqual([]);
      expect(await countsByState(store)).toEqual({});
    });

    check('schedules do not touch each other', async ({ store }) => {
      await sync(store, {}, { name: 'hourly' });
      const tick = (await store.now()) + MINUTE;
      const first = await fire(store, tickAt(tick, { skipOverlap: true }));
      const second = await fire(store, tickAt(tick, { schedule: 'hourly', skipOverlap: true }));
      expect([first.type, second.type]).toEqual(['fired', 'fired']);
      expect((await partOf(store, 'schedules').all()).map(({ name }) => name).toSorted()).toEqual([
        'hourly',
        'nightly',
      ]);
    });

    check('a tick whose job cannot be stored is not used up', async ({ store }) => {
      await sync(store, {});
      const before = await status(store);
      const tick = (await store.now()) + MINUTE;
      const bad = tickAt(tick, { job: newJob({ payload: '"\\u0000"' }) });
      await expect(fire(store, bad)).rejects.toThrow();
      expect(await status(store)).toEqual(before);
      const fired = await fire(store, tickAt(tick));
      expect(fired.type).toBe('fired');
      if (fired.type === 'fired') expect((await read(store, fired.id)).state).toBe('QUEUED');
    });
  },
};
