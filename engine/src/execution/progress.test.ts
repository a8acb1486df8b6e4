import { describe, expect, it } from 'vitest';
import { type Handler, createWorld, later, never, work } from '../../test/world.ts';
import type { Progress } from '../job.ts';
import type { JobContext } from '../kinds/kind.ts';
import type { Store } from '../port.ts';
import { storableProgress } from './running.ts';

describe('what is kept', () => {
  it.each<[Progress, Progress]>([
    [{ done: 1 }, { done: 1 }],
    [
      { done: 1, total: 9, note: 'rows' },
      { done: 1, total: 9, note: 'rows' },
    ],
    [{ done: NaN }, { done: 0 }],
    [{ done: 0 / 0, total: 1 / 0 }, { done: 0 }],
    [
      { done: 1, note: 5 as never },
      { done: 1, note: '5' },
    ],
    [
      { done: 1, note: 'a\u0000b\ud83d' },
      { done: 1, note: 'ab\ufffd' },
    ],
  ])('%j', (progress, kept) => {
    expect(storableProgress(progress)).toEqual(kept);
  });

  it('is cut where it is long', () => {
    expect(storableProgress({ done: 1, note: 'n'.repeat(5_000) }).note).toHaveLength(1_000);
  });
});

describe('progress that a handler reports', () => {
  /** A handler that lends its context to the test. */
  function lent(wrap: (store: Store) => Store = (store) => store) {
    const context = later<JobContext>();
    const run: Handler = (_, given) => {
      context.resolve(given);
      return never();
    };
    return { ...createWorld({ kinds: [work(run)], wrap }), context: context.promise };
  }

  it('is saved within a second or two; the last one wins', async () => {
    const { worker, enqueue, run, job, line, of, context } = lent();
    worker.start();
    const id = await enqueue();
    await run(10);
    const { progress } = await context;
    for (let done = 1; done <= 100; done++) progress({ done, total: 100 });
    await run(2_000);
    expect(await job(id)).toMatchObject({ progress: { done: 100, total: 100 } });
    expect(of('job.progress')).toMatchObject([{ id, done: 100, total: 100 }]);
    expect(line.count('checkpoint')).toBe(1);
    await run(60_000);
    expect(line.count('checkpoint')).toBe(1);
  });

  it('may be the same object, counted up', async () => {
    const { worker, enqueue, run, job, context } = lent();
    worker.start();
    const id = await enqueue();
    await run(10);
    const { progress } = await context;
    const mine = { done: 1 };
    progress(mine);
    await run(2_000);
    mine.done = 2;
    progress(mine);
    await run(2_000);
    expect(await job(id)).toMatchObject({ progress: { done: 2 } });
  });

  it('is saved later when the store was away', async () => {
    const { worker, enqueue, run, job, line, context } = lent();
    worker.start();
    const id = await enqueue();
    await run(10);
    line.away.add('checkpoint');
    (await context).progress({ done: 7 });
    await run(5_000);
    line.away.delete('checkpoint');
    await run(2_000);
    expect(await job(id)).toMatchObject({ progress: { done: 7 } });
  });

  it('is saved whatever the process’s clock began with', async () => {
    const { join, enqueue, run, job, context } = lent();
    join('w2', {}, { offset: -1e9, rate: 1 }).worker.start();
    const id = await enqueue();
    await run(10);
    (await context).progress({ done: 7 });
    await run(2_000);
    expect(await job(id)).toMatchObject({ progress: { done: 7 } });
  });

  it('does not stand in the way of another’s', async () => {
    const contexts: JobContext[] = [];
    const { worker, enqueue, run, job } = createWorld({
      kinds: [
        work((_, context) => {
          contexts.push(context);
          return never();
        }),
      ],
    });
    worker.start();
    const ids = [await enqueue(), await enqueue()];
    await run(10);
    contexts[0]?.progress({ done: 1, note: '\u0000' });
    contexts[1]?.progress({ done: 2 });
    await run(2_000);
    expect(await job(ids[1] ?? '')).toMatchObject({ progress: { done: 2 } });
  });

  it('does not undo that of a later chunk', async () => {
    const end = later();
    const { worker, enqueue, run, job } = createWorld({
      kinds: [
        work(async function* (_, { progress }) {
          progress({ done: 1 });
          yield { cursor: 1, progress: { done: 2 } };
          await end.promise;
        }),
      ],
    });
    worker.start();
    const id = await enqueue();
    await run(5_000);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', progress: { done: 2 } });
    end.resolve();
    await run(10);
  });

  it('brings the news of a cancellation back, where no hint does', async () => {
    const { queue, enqueue, run, job, context, worker } = lent((store) => ({
      ...store,
      watch: () => () => {},
    }));
    const id = await enqueue();
    worker.start();
    await run(10);
    await queue.cancel([id]);
    (await context).progress({ done: 1 });
    await run(6_100);
    expect(await job(id)).toMatchObject({ state: 'CANCELED' });
  });
});
