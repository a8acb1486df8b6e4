import { EVERYTHING } from '@millrace/engine';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Place,
  connect,
  createAway,
  createPlace,
  isJob,
  isLive,
  jobEvents,
  later,
  report,
} from '../../test/live.ts';
import { summaryJson } from '../routes/json/job.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => place.close());

describe('a new stream', () => {
  test('is told the present state, then what happens', async () => {
    const replica = await place.start();
    await report(replica.store, 'r1', 'running');
    const running = await replica.enqueue();
    const job = await replica.start();
    await replica.enqueue({ kind: 'other' });
    const reader = await connect(replica.url);
    await reader.until(isLive);
    expect(reader.status).toBe(200);
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-correlation-id': 'c-1',
      'x-given': 'yes',
    });
    const types = reader.events.map(({ type }) => type);
    expect(types).toEqual(['hello', 'job', 'queue', 'worker', 'live']);
    expect(reader.events[0]).toEqual({ type: 'hello' });
    expect(jobEvents(reader.events)).toEqual([`${running} PROCESSING`]);
    expect(reader.events[2]).toMatchObject({ states: { QUEUED: 1, PROCESSING: 1, SUCCEEDED: 0 } });
    expect(reader.events[3]).toMatchObject({ worker: { id: 'r1', totalProcessed: 3 } });

    await replica.settle(job);
    await place.run(100);
    const told = await reader.until(isJob(running, 'SUCCEEDED'));
    const [stored] = await replica.store.summaries({ ids: [running] });
    expect(told).toEqual({ type: 'job', job: stored && summaryJson(stored, 'host') });
  });

  test('loses nothing that happens while the present state is read', async () => {
    const [isRead, goOn] = [later(), later()];
    const replica = await place.start('r1', {
      store: (store) => ({
        ...store,
        async list(params) {
          const page = await store.list(params);
          isRead.resolve();
          await goOn.promise;
          return page;
        },
      }),
    });
    const id = await replica.enqueue();
    const job = await replica.start();
    const connecting = connect(replica.url, { topics: 'job' });
    await isRead.promise;
    await replica.settle(job);
    // The announcement is heard, read and gone before the stream begins.
    await place.run(1_000);
    goOn.resolve();
    const reader = await connecting;
    await reader.until(isJob(id, 'SUCCEEDED'));
    expect(reader.events.map(({ type }) => type).slice(0, 3)).toEqual(['hello', 'job', 'live']);
    expect(jobEvents(reader.events)[0]).toBe(`${id} PROCESSING`);
  });

  test.each([
    ['everything, that there is more', {}, ['hello', 'job', 'live', 'more']],
    ['one job, that job as it was last', { id: 'mem-1' }, ['hello', 'job', 'live', 'job']],
  ])('of %s, when too much changes while it is read', async (_, query, expected) => {
    const [isRead, goOn] = [later(), later()];
    let reads = 0;
    const held = async <T>(page: T): Promise<T> => {
      reads += 1;
      if (reads > 1) return page;
      isRead.resolve();
      await goOn.promise;
      return page;
    };
    const replica = await place.start('r1', {
      store: (store) => ({
        ...store,
        list: async (params) => held(await store.list(params)),
        summaries: async (params) => held(await store.summaries(params)),
      }),
    });
    await replica.enqueue({ data: null });
    const job = await replica.start();
    const connecting = connect(replica.url, { topics: 'job', ...query });
    await isRead.promise;
    // Each event is about 500 bytes: 600 are more than the 256 KiB that are held.
    for (let n = 0; n < 600; n += 1) {
      replica.events.emit('job.progress', { ...job, correlationId: 'c', done: n, total: null });
      if (!('id' in query)) await replica.enqueue({ correlationId: 'x'.repeat(200) });
      await place.run(100);
    }
    await replica.settle(job);
    await place.run(1_000);
    goOn.resolve();
    const reader = await connecting;
    await reader.until(isJob(job.id, 'SUCCEEDED'));
    expect(reader.events.map(({ type }) => type).slice(0, 4)).toEqual(expected);
  });

  test('shares its reading with others that ask for the same at the same time', async () => {
    const lists: unknown[] = [];
    const goOn = later();
    const replica = await place.start('r1', {
      store: (store) => ({
        ...store,
        async list(params) {
          lists.push(params.filter);
          await goOn.promise;
          return store.list(params);
        },
      }),
    });
    const connecting = [{}, {}, {}, { kind: 'other' }].map((query) => connect(replica.url, query));
    // All four have asked once the last of them has.
    while (lists.length < 2) await new Promise(setImmediate);
    goOn.resolve();
    const readers = await Promise.all(connecting);
    await Promise.all(readers.map((reader) => reader.until(isLive)));
    expect(lists.length).toBeLessThanOrEqual(3);
    expect(replica.hub.streams()).toBe(4);
  });

  test('is a refusal, before anything is sent, if the store is away', async () => {
    const away = createAway();
    const replica = await place.start('r1', { store: away.wrap });
    away.go();
    const reader = await connect(replica.url);
    expect(reader.status).toBe(503);
    expect(JSON.parse(await reader.ended)).toMatchObject({ code: 'store_unavailable' });
    expect(replica.hub.streams()).toBe(0);
    away.comeBack();
    expect((await connect(replica.url)).status).toBe(200);
  });

  test('is a refusal when there are too many', async () => {
    const goOn = later();
    const replica = await place.start('r1', {
      store: (store) => ({
        ...store,
        async list(params) {
          await goOn.promise;
          return store.list(params);
        },
      }),
    });
    const asked = {
      response: new ServerResponse(new IncomingMessage(new Socket())),
      filter: { scope: EVERYTHING },
      expiresAt: null,
      correlationId: 'c',
    };
    const opening = Array.from({ length: 10_000 }, (_, index) =>
      replica.hub.open({ ...asked, caller: `caller ${index}` }),
    );
    const reader = await connect(replica.url);
    expect(reader.status).toBe(503);
    expect(JSON.parse(await reader.ended)).toMatchObject({ code: 'too_many_streams' });
    asked.response.destroy();
    goOn.resolve();
    await Promise.all(opening);
    expect((await connect(replica.url)).status).toBe(200);
  });

  test('is a refusal when its caller has too many, and nobody else is refused', async () => {
    const replica = await place.start('r1', { streamsPerCaller: 2 });
    const ada = `${replica.url}/ada`;
    const first = await connect(ada);
    await connect(ada, { topics: 'queue' });
    const third = await connect(ada);
    expect(third.status).toBe(503);
    expect(JSON.parse(await third.ended)).toMatchObject({
      code: 'too_many_streams',
      detail: expect.stringContaining('You have 2 live streams open'),
    });
    expect((await connect(`${replica.url}/bob`)).status).toBe(200);
    first.close();
    await vi.waitFor(async () => expect((await connect(ada)).status).toBe(200));
  });

  test('that could not open leaves its place to others', async () => {
    const away = createAway();
    const replica = await place.start('r1', { store: away.wrap, streamsPerCaller: 1 });
    away.go();
    expect((await connect(replica.url)).status).toBe(503);
    away.comeBack();
    expect((await connect(replica.url)).status).toBe(200);
    expect((await connect(replica.url)).status).toBe(503);
  });
});

describe('a filter', () => {
  /** The events before and after `live`, with 1, 2 … for the jobs in their order. */
  async function told(query: (ids: readonly string[]) => Record<string, string>): Promise<string> {
    const replica = await place.start();
    const ids = [
      await replica.enqueue({ tenant: 'acme', correlationId: 'one' }),
      await replica.enqueue({ tenant: 'initech', correlationId: 'two' }),
      await replica.enqueue({ kind: 'other', tenant: 'acme', correlationId: 'two' }),
    ];
    const first = await replica.start();
    await place.run(3_000);
    const reader = await connect(replica.url, query(ids));
    await reader.until(isLive);
    const before = jobEvents(reader.events).length;
    await replica.settle(first);
    await place.run(1_000);
    for (const kind of ['work', 'other']) {
      const job = await replica.start(kind);
      await place.run(1_000);
      await replica.settle(job);
      await place.run(1_000);
    }
    // Behind this nothing of it can come any more.
    await place.run(15_000);
    await reader.untilComment((comment) => comment === 'alive');
    const short = jobEvents(reader.events).map((line) =>
      line.replace(
        /^\S+ (.).*/,
        (_, state: string) => `${ids.indexOf(line.split(' ')[0] ?? '') + 1}${state}`,
      ),
    );
    return [...short.slice(0, before), '|', ...short.slice(before)].join(' ');
  }

  test.each<[string, (ids: readonly string[]) => Record<string, string>, string]>([
    ['none', () => ({}), '1P | 1S 2P 2S 3P 3S'],
    ['topics with jobs', () => ({ topics: 'queue,job' }), '1P | 1S 2P 2S 3P 3S'],
    ['topics without jobs', () => ({ topics: 'queue,worker' }), '|'],
    ['kind', () => ({ kind: 'work' }), '1P | 1S 2P 2S'],
    ['tenant', () => ({ tenant: 'acme' }), '1P | 1S 3P 3S'],
    ['tenant and kind', () => ({ tenant: 'acme', kind: 'other' }), '| 3P 3S'],
    ['state', () => ({ state: 'QUEUED' }), '2Q 3Q |'],
    ['another state', () => ({ state: 'SUCCEEDED' }), '| 1S 2S 3S'],
    ['correlation', () => ({ correlationId: 'two' }), '2Q 3Q | 2P 2S 3P 3S'],
    ['id', ([id = '']) => ({ id }), '1P | 1S'],
    ['id of a job that waits', (ids) => ({ id: ids[2] ?? '' }), '3Q | 3P 3S'],
    ['id and a state', ([id = '']) => ({ id, state: 'SUCCEEDED' }), '| 1S'],
    ['id that is none', () => ({ id: 'mem-999' }), '|'],
  ])('%s', async (_, query, expected) => {
    expect(await told(query)).toBe(expected);
  });

  test('of kind and tenant counts too', async () => {
    const replica = await place.start();
    await replica.enqueue({ tenant: 'acme' });
    await replica.enqueue({ kind: 'other', tenant: 'acme', delay: '1h' });
    const reader = await connect(replica.url, { topics: 'queue', kind: 'other', tenant: 'acme' });
    await reader.until(isLive);
    expect(reader.events[1]).toEqual({
      type: 'queue',
      states: { QUEUED: 1, PROCESSING: 0, SUCCEEDED: 0, FAILED: 0, CANCELED: 0 },
      scheduled: 1,
      counts: [{ kind: 'other', tenant: 'acme', state: 'QUEUED', count: 1, scheduled: 1 }],
    });
  });
});

describe('a stream', () => {
  test('is alive every 15 seconds', async () => {
    const replica = await place.start();
    const reader = await connect(replica.url, { id: 'mem-999' });
    await reader.until(isLive);
    await replica.enqueue();
    await place.run(15_000);
    await reader.untilComment((comment) => comment === 'alive');
    const beats = (): number => reader.comments.filter((comment) => comment === 'alive').length;
    expect(beats()).toBe(1);
    await place.run(15_000);
    while (beats() < 2) await new Promise(setImmediate);
    expect(beats()).toBe(2);
  });

  test('ends with the token', async () => {
    const replica = await place.start('r1', { expiresAt: 60_000 });
    const reader = await connect(replica.url);
    await reader.until(isLive);
    await place.run(59_999);
    expect(replica.hub.streams()).toBe(1);
    await place.run(1);
    expect(await reader.ended).toMatch(/: The token has expired\.\n\n$/);
    expect(replica.hub.dropped()).toBe(0);
  });

  test('ends when the process stops, which tells the others what it did last', async () => {
    const [one, two] = [await place.start('r1'), await place.start('r2')];
    const [reader, other] = [await connect(one.url), await connect(two.url)];
    await Promise.all([reader.until(isLive), other.until(isLive)]);
    const id = await one.enqueue();
    await one.hub.close();
    expect(await reader.ended).toMatch(/: This replica is stopping\.\n\n$/);
    expect(one.hub.streams()).toBe(0);
    await other.until(isJob(id, 'QUEUED'));
    const late = await connect(one.url);
    expect(late.status).toBe(503);
  });

  test('is forgotten when its reader goes', async () => {
    const replica = await place.start();
    const [reader, other] = [await connect(replica.url), await connect(replica.url)];
    await Promise.all([reader.until(isLive), other.until(isLive)]);
    reader.close();
    while (replica.hub.streams() > 1) await new Promise(setImmediate);
    await replica.enqueue();
    await place.run(100);
    await other.until(({ type }) => type === 'job');
    expect(replica.hub.dropped()).toBe(0);
  });
});
