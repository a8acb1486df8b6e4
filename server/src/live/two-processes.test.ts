import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Place,
  type Reader,
  type Replica,
  connect,
  createPlace,
  isJob,
  isLive,
  jobEvents,
} from '../../test/live.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.close());

async function reading(replica: Replica): Promise<Reader> {
  const reader = await connect(replica.url, { topics: 'job' });
  await reader.until(isLive);
  return reader;
}

test('what one does is reported by the other', async () => {
  const [one, two] = [await place.start('r1'), await place.start('r2')];
  const reader = await reading(one);
  const id = await two.enqueue();
  await place.run(100);
  await reader.until(isJob(id, 'QUEUED'));
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
  expect(jobEvents(reader.events)).not.toContain(`${old} QUEUED`);
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

test('a process whose last reader has gone reads nothing that is announced', async () => {
  let reads = 0;
  const one = await place.start('r1', {
    store: (store) => ({
      ...store,
      summaries(params) {
        reads += 1;
        return store.summaries(params);
      },
    }),
  });
  const two = await place.start('r2');
  const reader = await reading(one);
  const seen = await two.enqueue();
  await place.run(100);
  await reader.until(isJob(seen));
  expect(reads).toBe(1);
  reader.close();
  while (one.hub.streams() > 0) await new Promise(setImmediate);
  await two.enqueue();
  await place.run(10_000);
  expect(reads).toBe(1);
  const again = await reading(one);
  const job = await two.start();
  await place.run(100);
  await again.until(isJob(job.id, 'PROCESSING'));
});
