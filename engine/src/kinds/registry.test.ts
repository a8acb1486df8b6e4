import { describe, expect, it } from 'vitest';
import { createWorld, work } from '../../test/world.ts';
import { JobFailure } from '../errors.ts';
import { createRegistry } from './registry.ts';

const nothing = async () => {};

it('knows kinds by name, and says which', () => {
  const registry = createRegistry([work(nothing), work(nothing, { kind: 'other' })]);
  expect(registry.get('other')?.kind).toBe('other');
  expect(registry.get('third')).toBeUndefined();
  expect(() => registry.require('third')).toThrow(
    'There is no kind "third". Known kinds: work, other.',
  );
  expect(() => createRegistry([]).require('third')).toThrow('Known kinds: none.');
  expect(registry.all().map(({ kind }) => kind)).toEqual(['work', 'other']);
});

it('refuses two of one name, also where one is made for a cleanup', () => {
  expect(() => createRegistry([work(nothing), work(nothing)])).toThrow(
    'Two kinds are called "work". Rename one of them.',
  );
  const cleaned = work(nothing, { cleanup: nothing });
  expect(() => createRegistry([cleaned, work(nothing, { kind: 'work.cleanup' })])).toThrow(
    'Two kinds are called "work.cleanup".',
  );
});

describe('the cleanup of a kind is a job of its own', () => {
  function world(
    run: Parameters<typeof work>[0],
    cleanup: (job: { data: unknown; cursor: unknown }) => Promise<void>,
  ) {
    return createWorld({
      kinds: [work(run, { retry: { backoff: 'steps', delays: [] }, cleanup })],
    });
  }

  it('with the job’s data and its last cursor', async () => {
    const seen: unknown[] = [];
    const { worker, enqueue, run, all } = world(
      async function* () {
        yield { cursor: { rows: 2 } };
        throw new JobFailure('bad', 'no');
      },
      async ({ data, cursor }) => void seen.push(data, cursor),
    );
    worker.start();
    await enqueue({ data: { file: 'a.csv' } });
    await run(10);
    expect(seen).toEqual([{ file: 'a.csv' }, { rows: 2 }]);
    expect(await all('work.cleanup')).toMatchObject([
      { state: 'SUCCEEDED', parents: { work: 'mem-1' } },
    ]);
  });

  it('after a cancelled one too, and never after one that succeeded', async () => {
    const seen: unknown[] = [];
    const { worker, queue, enqueue, run } = world(
      nothing,
      async ({ data }) => void seen.push(data),
    );
    const canceled = await enqueue({ data: 'canceled', delay: '1h' });
    await enqueue({ data: 'done' });
    await queue.cancel([canceled]);
    worker.start();
    await run(10);
    expect(seen).toEqual(['canceled']);
  });

  it('is tried again when it fails', async () => {
    let tries = 0;
    const { worker, enqueue, run } = world(
      async () => {
        throw new Error('no');
      },
      async () => {
        tries += 1;
        if (tries === 1) throw new Error('not yet');
      },
    );
    worker.start();
    await enqueue();
    await run(60_100);
    expect(tries).toBe(2);
  });

  it('leaves a job alone that was started again meanwhile', async () => {
    const seen: unknown[] = [];
    const { worker, queue, store, enqueue, run, all } = world(
      nothing,
      async ({ data }) => void seen.push(data),
    );
    const id = await enqueue();
    await queue.cancel([id]);
    await store.control?.pause({ kind: 'work', by: null });
    await queue.retry([id]);
    worker.start();
    await run(10);
    expect(await all('work.cleanup')).toMatchObject([{ state: 'SUCCEEDED' }]);
    expect(seen).toEqual([]);
  });

  it('ends with the job’s data when that is erased: it is about the same person', async () => {
    const seen: unknown[] = [];
    const { worker, queue, enqueue, run, all } = world(
      nothing,
      async ({ data }) => void seen.push(data),
    );
    const id = await enqueue({ subject: 'p1' });
    await queue.cancel([id]);
    await queue.erase('p1');
    worker.start();
    await run(10);
    expect(await all('work.cleanup')).toMatchObject([
      { state: 'FAILED', attempt: 1, subject: null, error: { code: 'erased' } },
    ]);
    expect(seen).toEqual([]);
  });

  it('has nothing to do for a job that was erased before it ended', async () => {
    const seen: unknown[] = [];
    const { worker, queue, enqueue, run, all } = world(
      nothing,
      async ({ data }) => void seen.push(data),
    );
    const id = await enqueue({ subject: 'p1' });
    await queue.erase('p1');
    await queue.cancel([id]);
    worker.start();
    await run(10);
    expect(await all('work.cleanup')).toMatchObject([{ state: 'SUCCEEDED' }]);
    expect(seen).toEqual([]);
  });
});
