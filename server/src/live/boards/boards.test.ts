import type { LiveEvent, Replica as ReplicaJson } from '@millrace/api';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Place, connect, createPlace, isLive, report } from '../../../test/live.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.close());

function stateEvents(events: readonly LiveEvent[]): Partial<Record<string, number>>[] {
  return events.flatMap((event) => (event.type === 'queue' ? event.states : []));
}

function workerEvents(events: readonly LiveEvent[]): ReplicaJson[] {
  return events.flatMap((event) => (event.type === 'worker' ? event.worker : []));
}

describe('the queue', () => {
  test('is reported once a second, and only when its counts have changed', async () => {
    const replica = await place.start();
    await place.run(10_000);
    const reader = await connect(replica.url, { topics: 'queue', kind: 'work' });
    await reader.until(isLive);
    for (let n = 1; n <= 20; n += 1) {
      await replica.enqueue();
      await place.run(100);
    }
    // Another kind: not this stream's.
    await replica.enqueue({ kind: 'other' });
    await place.run(15_000);
    await reader.untilComment((comment) => comment === 'alive');
    const told = stateEvents(reader.events).map(({ QUEUED }) => QUEUED);
    expect(told[0]).toBe(0);
    expect(told.at(-1)).toBe(20);
    // One at the beginning, one at once, two within the two seconds.
    expect(told.length).toBeLessThanOrEqual(4);
    expect(new Set(told).size).toBe(told.length);
  });
});

describe('a worker', () => {
  test('is reported again when it has changed', async () => {
    const replica = await place.start();
    await report(replica.store, 'r1', 'running');
    await report(replica.store, 'r2', 'running');
    const reader = await connect(replica.url, { topics: 'worker' });
    await reader.until(isLive);
    await report(replica.store, 'r2', 'paused');
    await place.run(10_000);
    await reader.until((event) => event.type === 'worker' && event.worker.state === 'paused');
    const told = workerEvents(reader.events).map(({ id, state }) => `${id} ${state}`);
    expect(told).toEqual(['r1 running', 'r2 running', 'r2 paused']);
  });

  test('of this process is reported at once, before its report is written', async () => {
    const replica = await place.start();
    await report(replica.store, 'r1', 'running');
    const reader = await connect(replica.url, { topics: 'worker' });
    await reader.until(isLive);
    replica.events.emit('worker.state', { worker: 'r1', state: 'paused' });
    await reader.until((event) => event.type === 'worker' && event.worker.state === 'paused');
    // What is read now is older than what is known.
    await place.run(15_000);
    await reader.untilComment((comment) => comment === 'alive');
    expect(workerEvents(reader.events).at(-1)?.state).toBe('paused');
  });

  test('that has just started is reported once its report is there', async () => {
    const replica = await place.start();
    const reader = await connect(replica.url, { topics: 'worker' });
    await reader.until(isLive);
    replica.events.emit('worker.state', { worker: 'r1', state: 'running' });
    await report(replica.store, 'r1', 'running');
    await place.run(1_000);
    await reader.until((event) => event.type === 'worker' && event.worker.id === 'r1');
  });

  test('that goes without a word makes everyone look again', async () => {
    const replica = await place.start();
    await report(replica.store, 'r2', 'running');
    const reader = await connect(replica.url);
    await reader.until(isLive);
    const seenAt = new Date(place.now()).toISOString();
    await place.run(30_000);
    expect(reader.events.some(({ type }) => type === 'more')).toBe(false);
    await place.run(10_000);
    await reader.until(({ type }) => type === 'more');
    await reader.until((event) => event.type === 'worker' && event.worker.state === 'silent');
    expect(workerEvents(reader.events).at(-1)).toMatchObject({ id: 'r2', seenAt });
    // Cut off, and back.
    await report(replica.store, 'r2', 'running');
    await place.run(10_000);
    await reader.until(
      (event) =>
        event.type === 'worker' && event.worker.state === 'running' && event.worker.seenAt > seenAt,
    );
  });
});
