import type { Hint } from '@millrace/engine';
import type { Announcement } from '@millrace/store-postgres';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Place,
  connect,
  createAway,
  createPlace,
  isJob,
  isLive,
  jobEvents,
  later,
} from '../../test/live.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.close());

const isMore = ({ type }: { type: string }): boolean => type === 'more';

describe('more jobs than can be named', () => {
  test('are reported up to 250, then that there are more', async () => {
    const replica = await place.start();
    const reader = await connect(replica.url, { topics: 'job' });
    await reader.until(isLive);
    await place.run(1_000);
    const requests = Array.from({ length: 251 }, () => ({ kind: 'work', data: null }));
    await replica.queue.enqueueAll(requests);
    await place.run(100);
    await reader.until(isMore);
    expect(jobEvents(reader.events)).toHaveLength(250);
  });

  test.each([true, false])(
    'are nobody else’s news: of another tenant nothing is reported (notifications arrive: %s)',
    async (arrives) => {
      const replica = await place.start('r1', {
        announcements: (end) => (end.setArrive(arrives), end),
      });
      const [acme, bolt, all] = [
        await connect(`${replica.url}/of/acme`, { topics: 'job' }),
        await connect(`${replica.url}/of/bolt`, { topics: 'job' }),
        await connect(replica.url, { topics: 'job' }),
      ];
      for (const reader of [acme, bolt, all]) await reader.until(isLive);
      await place.run(1_000);
      const requests = Array.from({ length: 251 }, () => ({
        kind: 'work',
        data: null,
        tenant: 'acme',
      }));
      await replica.queue.enqueueAll(requests);
      await place.run(100);
      await acme.until(isMore);
      await all.until(isMore);
      const mine = await replica.enqueue({ tenant: 'bolt' });
      await place.run(100);
      await bolt.until(isJob(mine));
      expect(bolt.events.map(({ type }) => type)).toEqual(['hello', 'live', 'job']);
    },
  );

  test('do not concern who watches one job, and is told it', async () => {
    const replica = await place.start();
    const id = await replica.enqueue();
    const reader = await connect(replica.url, { topics: 'job', id });
    await reader.until(isLive);
    await place.run(1_000);
    // Its announcement has no room for the job.
    await replica.queue.enqueueAll(
      Array.from({ length: 250 }, () => ({ kind: 'other', data: null })),
    );
    const job = await replica.start();
    await place.run(100);
    await reader.until(isJob(job.id, 'PROCESSING'));
    expect(reader.events.some(isMore)).toBe(false);
  });

  test.each([
    ['lease.takenOver', { count: 3, jobs: [], workers: [] }],
    ['retention.pruned', { count: 3 }],
    ['gate.closed', { rule: 'r', key: 'k', arrived: {} }],
  ] as const)('%s says how many, not which', async (name, event) => {
    const replica = await place.start();
    const reader = await connect(replica.url);
    await reader.until(isLive);
    replica.events.emit(name, event);
    await place.run(100);
    await reader.until(isMore);
  });
});

describe('a store that goes away', () => {
  test('leaves the streams open, and is made up for when it is back', async () => {
    const away = createAway();
    const replica = await place.start('r1', { store: away.wrap, announcements: away.wrapLine });
    const other = await place.start('r2');
    const id = await replica.enqueue();
    const [reader, watcher] = [await connect(replica.url), await connect(replica.url, { id })];
    await Promise.all([reader.until(isLive), watcher.until(isLive)]);
    away.go();
    const job = await other.start();
    await place.run(1_000);
    await other.settle(job);
    await place.run(10_000);
    expect(replica.hub.streams()).toBe(2);
    expect(reader.events.some(isMore)).toBe(false);
    away.comeBack();
    await place.run(5_000);
    await reader.until(isMore);
    await watcher.until(isJob(job.id, 'SUCCEEDED'));
    await reader.until((event) => event.type === 'queue' && event.states.SUCCEEDED === 1);
    expect(replica.warnings.length).toBeLessThanOrEqual(3);

    // From then on everything is as always.
    const next = await other.enqueue();
    await place.run(100);
    await reader.until(isJob(next));
  });

  test('for so long that the others forget who watches is made up for too', async () => {
    const away = createAway();
    const replica = await place.start('r1', { store: away.wrap, announcements: away.wrapLine });
    const other = await place.start('r2');
    const reader = await connect(replica.url);
    await reader.until(isLive);
    away.go();
    await place.run(200_000);
    const unannounced = await other.enqueue();
    await place.run(5_000);
    away.comeBack();
    await place.run(20_000);
    await reader.until(isMore);
    expect(jobEvents(reader.events)).not.toContain(`${unannounced} QUEUED`);
    const told = await other.enqueue();
    await place.run(100);
    await reader.until(isJob(told));
  });

  test('loses no announcement', async () => {
    const away = createAway();
    const one = await place.start('r1');
    const two = await place.start('r2', { store: away.wrap, announcements: away.wrapLine });
    const reader = await connect(one.url);
    await reader.until(isLive);
    away.go();
    const ids = [await two.enqueue(), await two.enqueue()];
    await place.run(10_000);
    ids.push(await two.enqueue());
    away.comeBack();
    await place.run(1_000);
    for (const id of ids) await reader.until(isJob(id, 'QUEUED'));
  });
});

describe('a line that was cut', () => {
  test('makes everyone look again', async () => {
    let tell: (hint: Hint) => void = () => {};
    const replica = await place.start('r1', {
      store: (store) => ({
        ...store,
        watch(listener) {
          tell = listener;
          return store.watch(listener);
        },
      }),
    });
    const id = await replica.enqueue();
    const [reader, watcher] = [await connect(replica.url), await connect(replica.url, { id })];
    await Promise.all([reader.until(isLive), watcher.until(isLive)]);
    tell({ type: 'control' });
    await reader.until(isMore);
    await place.run(15_000);
    await watcher.untilComment((comment) => comment === 'alive');
    expect(watcher.events.some(isMore)).toBe(false);
    expect(jobEvents(watcher.events).length).toBeGreaterThan(1);
  });

  test('to a process that has forgotten who watches is admitted by it', async () => {
    let tell: (hint: Hint) => void = () => {};
    let say: (announcement: Announcement) => void = () => {};
    const one = await place.start('r1');
    const two = await place.start('r2', {
      store: (store) => ({
        ...store,
        watch(listener) {
          tell = listener;
          return () => {};
        },
      }),
      announcements: (end) => ({
        ...end,
        listen(listener) {
          say = listener;
          return () => {};
        },
      }),
    });
    const reader = await connect(one.url);
    await reader.until(isLive);
    // Deaf for longer than it remembers: this one it does not tell.
    await place.run(100_000);
    const unannounced = await two.enqueue();
    await place.run(10_000);
    expect(jobEvents(reader.events)).not.toContain(`${unannounced} QUEUED`);
    tell({ type: 'control' });
    say({ type: 'interest' });
    await place.run(100);
    await reader.until(isMore);
  });
});

test('a stream that was opening when there was a gap is asked to look again', async () => {
  let tell: (hint: Hint) => void = () => {};
  const [isRead, goOn] = [later(), later()];
  const replica = await place.start('r1', {
    store: (store) => ({
      ...store,
      watch(listener) {
        tell = listener;
        return store.watch(listener);
      },
      async list(params) {
        const page = await store.list(params);
        isRead.resolve();
        await goOn.promise;
        return page;
      },
    }),
  });
  const connecting = connect(replica.url);
  await isRead.promise;
  tell({ type: 'control' });
  await place.run(1_000);
  goOn.resolve();
  const reader = await connecting;
  await reader.until(isMore);
});
