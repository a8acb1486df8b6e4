import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Place,
  type Replica,
  connect,
  createAway,
  createPlace,
  isJob,
  isLive,
  jobEvents,
} from '../../../test/live.ts';
import type { LineEnd } from '../../../test/service.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.close());

/** As behind a pooler: nobody else is heard, and what is announced here is told here. */
function deaf(end: LineEnd): LineEnd {
  end.setArrive(false);
  return end;
}

async function twoDeaf(): Promise<[Replica, Replica]> {
  return [
    await place.start('r1', { announcements: deaf }),
    await place.start('r2', { announcements: deaf }),
  ];
}

describe('without notifications', () => {
  test('what the process itself does is reported at once', async () => {
    const [one] = await twoDeaf();
    const reader = await connect(one.url);
    await reader.until(isLive);
    const id = await one.enqueue();
    await place.run(100);
    await reader.until(isJob(id, 'QUEUED'));
  });

  test('what another does is found by looking', async () => {
    const [one, two] = await twoDeaf();
    await two.enqueue();
    const reader = await connect(one.url);
    await reader.until(isLive);
    const job = await two.start();
    await place.run(2_000);
    await reader.until(isJob(job.id, 'PROCESSING'));
    await two.settle(job);
    await place.run(2_000);
    await reader.until(isJob(job.id, 'SUCCEEDED'));
    await reader.until((event) => event.type === 'queue' && event.states.SUCCEEDED === 1);
  });

  test('a job that is part of the present state is followed, even if it ends before the first look', async () => {
    const [one, two] = await twoDeaf();
    await two.enqueue();
    const job = await two.start();
    const reader = await connect(one.url);
    await reader.until(isLive);
    expect(jobEvents(reader.events)).toEqual([`${job.id} PROCESSING`]);
    await two.settle(job);
    await place.run(2_000);
    await reader.until(isJob(job.id, 'SUCCEEDED'));
  });

  test('what one reader sees as present is news to another', async () => {
    const [one, two] = await twoDeaf();
    await two.enqueue();
    const first = await connect(one.url);
    await first.until(isLive);
    const job = await two.start();
    const second = await connect(one.url);
    await second.until(isJob(job.id, 'PROCESSING'));
    await place.run(2_000);
    await first.until(isJob(job.id, 'PROCESSING'));
  });

  test('a job that is watched is followed from the queue to its end', async () => {
    const [one, two] = await twoDeaf();
    const id = await two.enqueue();
    const reader = await connect(one.url, { id, topics: 'job' });
    await reader.until(isJob(id, 'QUEUED'));
    await place.run(4_000);
    // Between two looks.
    await two.settle(await two.start());
    await place.run(2_000);
    await reader.until(isJob(id, 'SUCCEEDED'));
    expect(jobEvents(reader.events)).toContain(`${id} SUCCEEDED`);
  });

  test('what passed between two looks shows as more', async () => {
    const [one, two] = await twoDeaf();
    const reader = await connect(one.url, { topics: 'job' });
    await reader.until(isLive);
    await place.run(4_000);
    expect(reader.events.some(({ type }) => type === 'more')).toBe(false);
    await two.enqueue();
    await two.settle(await two.start());
    await place.run(2_000);
    await reader.until(({ type }) => type === 'more');
  });

  test('it is looked once per process, and not at all when nobody watches', async () => {
    let lists = 0;
    const one = await place.start('r1', {
      announcements: deaf,
      store: (store) => ({
        ...store,
        list(params) {
          lists += 1;
          return store.list(params);
        },
      }),
    });
    await place.run(60_000);
    expect(lists).toBe(0);
    const readers = await Promise.all([1, 2, 3].map(() => connect(one.url, { topics: 'queue' })));
    await Promise.all(readers.map((reader) => reader.until(isLive)));
    expect(lists).toBe(0);
    await place.run(20_000);
    expect(lists).toBe(10);
    for (const reader of readers) reader.close();
    while (one.hub.streams() > 0) await new Promise(setImmediate);
    await place.run(100_000);
    const after = lists;
    await place.run(100_000);
    expect(lists).toBe(after);
  });

  test('a store that is away in between is made up for', async () => {
    const away = createAway();
    const one = await place.start('r1', {
      store: away.wrap,
      announcements: (end) => away.wrapLine(deaf(end)),
    });
    const two = await place.start('r2', { announcements: deaf });
    const id = await two.enqueue();
    const [reader, watcher] = [await connect(one.url), await connect(one.url, { id })];
    await Promise.all([reader.until(isLive), watcher.until(isLive)]);
    away.go();
    await place.run(4_000);
    await two.settle(await two.start());
    await place.run(10_000);
    away.comeBack();
    await place.run(5_000);
    await reader.until(({ type }) => type === 'more');
    await watcher.until(isJob(id, 'SUCCEEDED'));
  });

  test('begins and ends while the process runs, and nothing is missed at either end', async () => {
    const ends: LineEnd[] = [];
    let lists = 0;
    const one = await place.start('r1', {
      announcements: (end) => {
        ends.push(end);
        return end;
      },
      store: (store) => ({
        ...store,
        list(params) {
          lists += 1;
          return store.list(params);
        },
      }),
    });
    const two = await place.start('r2');
    const reader = await connect(one.url, { topics: 'job' });
    await reader.until(isLive);
    const news = (): number => reader.events.filter(({ type }) => type === 'more').length;

    ends[0]?.setArrive(false);
    const unheard = await two.enqueue();
    await place.run(100);
    expect(jobEvents(reader.events)).not.toContain(`${unheard} QUEUED`);
    await place.run(5_000);
    await reader.until(({ type }) => type === 'more');
    const job = await two.start();
    await place.run(2_000);
    await reader.until(isJob(job.id, 'PROCESSING'));

    ends[0]?.setArrive(true);
    const before = news();
    await place.run(5_000);
    await reader.until(() => news() > before);
    await two.settle(job);
    // Sooner than a look would have found it.
    await place.run(100);
    await reader.until(isJob(job.id, 'SUCCEEDED'));
    const looked = lists;
    await place.run(20_000);
    expect(lists).toBe(looked);
  });
});
