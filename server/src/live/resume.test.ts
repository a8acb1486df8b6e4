import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Place,
  type Reader,
  type Replica,
  connect,
  createPlace,
  isJob,
  isLive,
  jobsTold,
} from '../../test/live.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.close());

const JOBS = { topics: 'job' };

async function reading(
  replica: Replica,
  query: Record<string, string> = JOBS,
  lastEventId?: string,
): Promise<Reader> {
  const reader = await connect(replica.url, query, lastEventId);
  await reader.until(isLive);
  return reader;
}

/** Some jobs in one announcement; the reader has them all when it resolves. */
async function enqueueTogether(replica: Replica, reader: Reader, count: number) {
  await place.run(1_000);
  const enqueued = await replica.queue.enqueueAll(
    Array.from({ length: count }, () => ({ kind: 'work', data: null })),
  );
  await place.run(100);
  const ids = enqueued.map(({ id }) => id);
  await reader.until(isJob(ids.at(-1) ?? ''));
  return ids;
}

describe('a reader who comes back', () => {
  test('is told what it has missed, and not the present state', async () => {
    const replica = await place.start();
    const first = await reading(replica);
    await enqueueTogether(replica, first, 1);
    first.close();
    const watcher = await reading(replica);
    const missed = await enqueueTogether(replica, watcher, 2);
    const job = await replica.start();
    await place.run(1_000);
    await watcher.until(isJob(job.id, 'PROCESSING'));
    const again = await reading(replica, JOBS, first.lastId() ?? '');
    expect(again.events[0]).toEqual({ type: 'hello', resumed: true });
    const expected = [...missed.map((id) => `${id} QUEUED`), `${job.id} PROCESSING`];
    expect(jobsTold(again.events)).toEqual(expected);
    expect(again.events.at(-1)).toEqual({ type: 'live' });
  });

  test('goes on in the middle of an announcement', async () => {
    const replica = await place.start();
    const first = await reading(replica);
    const ids = await enqueueTogether(replica, first, 5);
    const mark = (first.lastId() ?? '').replace(/\.\d+$/, '');
    const again = await reading(replica, JOBS, `${mark}.3`);
    expect(jobsTold(again.events)).toEqual(ids.slice(3).map((id) => `${id} QUEUED`));
  });

  test('is told only what its filter lets through', async () => {
    const replica = await place.start();
    const first = await reading(replica);
    await enqueueTogether(replica, first, 1);
    first.close();
    const watcher = await reading(replica);
    await enqueueTogether(replica, watcher, 1);
    const other = await replica.enqueue({ kind: 'other' });
    await place.run(1_000);
    await watcher.until(isJob(other));
    const again = await reading(replica, { kind: 'other', ...JOBS }, first.lastId() ?? '');
    expect(jobsTold(again.events)).toEqual([`${other} QUEUED`]);
  });

  test('can do so from the very beginning, before anything has changed', async () => {
    const replica = await place.start();
    const first = await reading(replica);
    await first.untilId(() => true);
    first.close();
    const again = await reading(replica, JOBS, first.lastId() ?? '');
    expect(again.events).toEqual([{ type: 'hello', resumed: true }, { type: 'live' }]);
  });

  test('is told of queue and workers as they are now', async () => {
    const replica = await place.start();
    const first = await reading(replica);
    await enqueueTogether(replica, first, 1);
    const again = await reading(replica, { topics: 'queue' }, first.lastId() ?? '');
    expect(again.events).toMatchObject([
      { type: 'hello', resumed: true },
      { type: 'queue', states: { QUEUED: 1 } },
      { type: 'live' },
    ]);
  });

  test('hears once and in order what happens while it catches up', async () => {
    const replica = await place.start();
    const first = await reading(replica);
    await enqueueTogether(replica, first, 1);
    first.close();
    const watcher = await reading(replica);
    const missed = await enqueueTogether(replica, watcher, 200);
    const connecting = connect(replica.url, JOBS, first.lastId() ?? '');
    const meanwhile = await enqueueTogether(replica, watcher, 200);
    const again = await connecting;
    const last = await enqueueTogether(replica, again, 1);
    const all = [...missed, ...meanwhile, ...last].map((id) => `${id} QUEUED`);
    expect(jobsTold(again.events)).toEqual(all);
  });
});

describe('a reader who comes back too late', () => {
  async function expectAnew(replica: Replica, lastEventId: string): Promise<void> {
    const again = await reading(replica, JOBS, lastEventId);
    expect(again.events[0]).toEqual({ type: 'hello', resumed: false });
    expect(jobsTold(again.events)).toEqual(['mem-1 PROCESSING']);
  }

  test.each(['', 'nonsense', '1', 'r1-1', 'r9-1.1', 'r1-1.x', `${'9'.repeat(50)}.1`])(
    'or with %j, which is no id, is told the present state',
    async (id) => {
      const replica = await place.start();
      await replica.enqueue();
      await replica.start();
      await place.run(1_000);
      await expectAnew(replica, id);
    },
  );

  test('for the ring is told the present state', async () => {
    const replica = await place.start();
    const reader = await reading(replica);
    await enqueueTogether(replica, reader, 1);
    const id = reader.lastId() ?? '';
    await replica.start();
    await place.run(59_000);
    expect((await reading(replica, JOBS, id)).events[0]).toEqual({ type: 'hello', resumed: true });
    await place.run(5_000);
    await expectAnew(replica, id);
  });

  test('for anyone to have listened meanwhile is told the present state', async () => {
    const [one, two] = [await place.start('r1'), await place.start('r2')];
    const reader = await reading(one);
    await enqueueTogether(one, reader, 1);
    const id = reader.lastId() ?? '';
    reader.close();
    while (one.hub.streams() > 0) await new Promise(setImmediate);
    // Nobody watches: the other process forgets it after 90 s, and no longer says what it does.
    await place.run(120_000);
    await two.start();
    await place.run(5_000);
    await expectAnew(one, id);
  });

  test('finds a ring that is as it was if only little time has passed', async () => {
    const [one, two] = [await place.start('r1'), await place.start('r2')];
    const reader = await reading(one);
    await enqueueTogether(one, reader, 1);
    reader.close();
    while (one.hub.streams() > 0) await new Promise(setImmediate);
    await place.run(20_000);
    const job = await two.start();
    await place.run(5_000);
    const again = await reading(one, JOBS, reader.lastId() ?? '');
    expect(again.events[0]).toEqual({ type: 'hello', resumed: true });
    expect(jobsTold(again.events)).toEqual([`${job.id} PROCESSING`]);
  });
});

describe('with two processes', () => {
  test('what one does is reported by the other', async () => {
    const [one, two] = [await place.start('r1'), await place.start('r2')];
    const reader = await reading(one);
    const id = await two.enqueue();
    await place.run(100);
    await reader.until(isJob(id, 'QUEUED'));
  });

  test('a reader goes on in the other where it was in the one', async () => {
    const [one, two] = [await place.start('r1'), await place.start('r2')];
    const first = await reading(one);
    const seen = await enqueueTogether(two, first, 3);
    const id = first.lastId() ?? '';
    expect(jobsTold(first.events)).toEqual(seen.map((job) => `${job} QUEUED`));
    first.close();
    const watcher = await reading(two);
    const missed = [
      ...(await enqueueTogether(one, watcher, 2)),
      ...(await enqueueTogether(two, watcher, 2)),
    ];
    const again = await reading(two, JOBS, id);
    expect(again.events[0]).toEqual({ type: 'hello', resumed: true });
    expect(jobsTold(again.events)).toEqual(missed.map((job) => `${job} QUEUED`));
  });

  test('a process that starts while someone watches is heard at once', async () => {
    const one = await place.start('r1');
    const reader = await reading(one);
    await place.run(1_000);
    const two = await place.start('r2');
    const id = await two.enqueue();
    await place.run(100);
    await reader.until(isJob(id, 'QUEUED'));
  });

  test('a process that has not heard yet that someone watches tells what it did just now', async () => {
    const one = await place.start('r1');
    const two = await place.start('r2');
    // Both have forgotten that they know nothing.
    await place.run(200_000);
    const old = await two.enqueue();
    await place.run(2_100);
    const recent = await two.enqueue();
    const reader = await reading(one);
    await place.run(100);
    await reader.until(isJob(recent, 'QUEUED'));
    expect(jobsTold(reader.events)).not.toContain(`${old} QUEUED`);
  });

  test('a process without the route tells what it does, and reads nothing', async () => {
    const one = await place.start('r1');
    let reads = 0;
    const two = await place.start('r2', {
      serves: false,
      store: (store) => ({
        ...store,
        summaries(params) {
          reads += 1;
          return store.summaries(params);
        },
      }),
    });
    const reader = await reading(one);
    const id = await two.enqueue();
    await place.run(100);
    await reader.until(isJob(id, 'QUEUED'));
    expect(reads).toBe(0);
  });
});
