import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorld, work } from '../../test/world.ts';
import type { Selection } from '../port.ts';
import { createQueue } from './queue.ts';

const quick = work(async () => {});
const open = work(async () => {}, { kind: 'open', public: true });

describe('enqueue', () => {
  it('makes a job and reports it', async () => {
    const { queue, of, job } = createWorld({ kinds: [quick] });
    expect(await queue.enqueue({ kind: 'work', data: { n: 1 } })).toEqual({
      id: 'mem-1',
      created: true,
    });
    expect(await job('mem-1')).toMatchObject({
      state: 'QUEUED',
      payload: '{"n":1}',
      attempt: 0,
      maxAttempts: 4,
    });
    expect(of('job.enqueued')).toEqual([
      { id: 'mem-1', kind: 'work', created: true, correlationId: 'mem-1' },
    ]);
  });

  it('with a key that is taken returns the one that has it', async () => {
    const { queue, of } = createWorld({ kinds: [quick] });
    await queue.enqueue({ kind: 'work', data: 1, key: 'poll-7' });
    expect(await queue.enqueue({ kind: 'work', data: 2, key: 'poll-7' })).toEqual({
      id: 'mem-1',
      created: false,
    });
    expect(of('job.enqueued').map(({ created }) => created)).toEqual([true, false]);
  });

  it('all or none', async () => {
    const { queue, all } = createWorld({ kinds: [quick] });
    await expect(
      queue.enqueueAll([
        { kind: 'work', data: 1 },
        { kind: 'work', data: 1n },
      ]),
    ).rejects.toThrow(expect.objectContaining({ code: 'invalid_payload' }));
    expect(await all('work')).toEqual([]);
    expect(await queue.enqueueAll([])).toEqual([]);
    expect(await queue.enqueueAll([1, 2, 3].map((data) => ({ kind: 'work', data })))).toHaveLength(
      3,
    );
  });

  it('asks for the store’s time only where a date has to be judged', async () => {
    const { store, registry, events } = createWorld({ kinds: [quick] });
    let asked = 0;
    const counting = {
      ...store,
      now() {
        asked += 1;
        return store.now();
      },
    };
    const queue = createQueue({ store: counting, registry, events });
    await queue.enqueue({ kind: 'work', data: 1, delay: '1h' });
    expect(asked).toBe(0);
    await expect(queue.enqueue({ kind: 'work', data: 1, runAt: 0 })).rejects.toThrow(
      'runAt lies in the past',
    );
    expect(asked).toBe(1);
  });

  it('from outside takes public kinds alone', async () => {
    const { queue } = createWorld({ kinds: [quick, open] });
    await expect(queue.enqueue({ kind: 'work', data: 1 }, { fromOutside: true })).rejects.toThrow(
      expect.objectContaining({ code: 'kind_not_public' }),
    );
    await expect(queue.enqueue({ kind: 'nobody', data: 1 }, { fromOutside: true })).rejects.toThrow(
      expect.objectContaining({ code: 'unknown_kind' }),
    );
    await queue.enqueue({ kind: 'open', data: 1 }, { fromOutside: true });
  });

  describe('from outside', () => {
    const outside = { fromOutside: true };
    const half = work(async () => {}, {
      kind: 'half',
      input: z.union([z.string(), z.number()]),
      public: { input: z.string() },
    });

    it('takes of a kind only the data that it has for outside', async () => {
      const { queue, all } = createWorld({ kinds: [half] });
      const inside = await queue.enqueue({ kind: 'half', data: 1 });
      const refused = expect.objectContaining({ code: 'invalid_payload' });
      await expect(queue.enqueue({ kind: 'half', data: 1 }, outside)).rejects.toThrow(refused);
      await queue.enqueue({ kind: 'half', data: 'a' }, outside);
      await queue.cancel([inside.id]);
      await expect(queue.retryWith(inside.id, 2)).rejects.toThrow(refused);
      expect(await queue.retryWith(inside.id, 'b')).toBe(true);
      expect(new Set((await all('half')).map(({ payload }) => payload))).toEqual(
        new Set(['"a"', '"b"']),
      );
    });

    it('takes no key of the process’s own', async () => {
      const { queue } = createWorld({ kinds: [open] });
      const request = { kind: 'open', data: 1, key: 'millrace:batch-1/1/1' };
      await expect(queue.enqueue(request, outside)).rejects.toThrow(
        expect.objectContaining({ code: 'invalid_key' }),
      );
      expect(await queue.enqueue(request)).toMatchObject({ created: true });
    });
  });

  it('in a transaction that the store cannot join is refused', async () => {
    const { queue } = createWorld({ kinds: [quick] });
    await expect(queue.enqueue({ kind: 'work', data: 1 }, { transaction: {} })).rejects.toThrow(
      expect.objectContaining({ code: 'unsupported_by_store' }),
    );
  });

  it('says so when a store makes nothing', async () => {
    const { store, registry, events } = createWorld({ kinds: [quick] });
    const queue = createQueue({ store: { ...store, enqueue: async () => [] }, registry, events });
    await expect(queue.enqueue({ kind: 'work', data: 1 })).rejects.toThrow(
      'The store made no job and gave no reason.',
    );
  });
});

describe('a quota of queued jobs', () => {
  const limited = work(async () => {}, { quota: { queued: 2 } });

  it('is refused beyond, per tenant', async () => {
    const { queue, enqueue } = createWorld({ kinds: [limited] });
    for (const tenant of ['a', 'a', 'b']) await enqueue({ tenant });
    await expect(enqueue({ tenant: 'a' })).rejects.toThrow(
      expect.objectContaining({
        code: 'quota_exceeded',
        message:
          'The tenant "a" has 2 queued jobs of the kind "work"; its quota is 2. Try again when some are done.',
      }),
    );
    await enqueue({ tenant: 'b' });
    expect(await queue.counts()).toHaveLength(2);
  });

  it('counts what one call adds', async () => {
    const { queue, all } = createWorld({ kinds: [limited, open] });
    const requests = ['work', 'open', 'work', 'work'].map((kind) => ({ kind, data: 1 }));
    await expect(queue.enqueueAll(requests)).rejects.toThrow(
      expect.objectContaining({ code: 'quota_exceeded' }),
    );
    expect(await all('open')).toEqual([]);
    expect(await queue.enqueueAll(requests.slice(0, 3))).toHaveLength(3);
  });

  it('has room again when some are done', async () => {
    const { worker, enqueue, run } = createWorld({ kinds: [limited] });
    for (let n = 0; n < 2; n++) await enqueue();
    worker.start();
    await run(10);
    await enqueue();
  });
});

describe('by hand', () => {
  it('cancel and retry by id', async () => {
    const { queue, enqueue, job } = createWorld({ kinds: [quick] });
    const id = await enqueue();
    expect(await queue.cancel([id, 'mem-99'])).toEqual({ canceled: [id], requested: [] });
    expect(await queue.retry([id, 'mem-99'])).toEqual([id]);
    expect(await job(id)).toMatchObject({ state: 'QUEUED', attempt: 0 });
  });

  it('by filter in batches, until none is left', async () => {
    const { store, registry, events, enqueue } = createWorld({ kinds: [quick] });
    for (let n = 0; n < 2_500; n++) await enqueue();
    const limits: Selection['select'][] = [];
    const queue = createQueue({
      registry,
      events,
      store: {
        ...store,
        cancel(selection) {
          limits.push(selection.select);
          return store.cancel(selection);
        },
      },
    });
    expect((await queue.cancelWhere({ state: 'QUEUED' })).canceled).toHaveLength(2_500);
    expect(limits).toEqual(
      Array.from({ length: 3 }, () => ({ filter: { state: 'QUEUED' }, limit: 1_000 })),
    );
    expect(await queue.retryWhere({ state: 'CANCELED' })).toEqual({ retried: 2_500 });
    expect(await queue.cancelWhere({ state: 'FAILED' })).toEqual({ canceled: [], requested: [] });
  });

  it('by filter comes to an end though what is retried fails again at once', async () => {
    const { store, registry, events, enqueue, queue } = createWorld({ kinds: [quick] });
    for (let n = 0; n < 1_500; n++) await enqueue();
    await queue.cancelWhere({});
    let asked = 0;
    const failing = createQueue({
      registry,
      events,
      store: {
        ...store,
        async retry() {
          asked += 1;
          return { retried: 1_000, ids: [] };
        },
      },
    });
    await failing.retryWhere({});
    expect(asked).toBe(2);
  });

  it('erases what is about a subject, and takes no empty one', async () => {
    const { queue, enqueue, job } = createWorld({ kinds: [quick] });
    const id = await enqueue({ data: 'about her', subject: 'p1' });
    await enqueue({ data: 'about no one' });
    expect(await queue.erase('p1')).toBe(1);
    expect(await job(id)).toMatchObject({ payload: null });
    await expect(queue.erase('')).rejects.toThrow(
      expect.objectContaining({ code: 'invalid_text' }),
    );
  });
});
