import { describe, expect, it } from 'vitest';
import { HOUR_MS, endless, expectExplained, world } from '../../test/explained.ts';
import { START, never, work } from '../../test/world.ts';
import { within } from '../within.ts';
import { createQueue } from './queue.ts';

describe('a job that waits for a worker', () => {
  it('kind_paused', async () => {
    const { enqueue, queue, store } = world();
    const id = await enqueue();
    await store.control?.pause({ kind: 'work', by: 'ann' });
    expectExplained(
      await queue.explain(id),
      'kind_paused',
      'The kind "work" is paused for all workers. Resume it to go on.',
    );
  });

  it('no_worker, also when the last was seen long ago', async () => {
    const { enqueue, run, queue, worker, join, clock } = world();
    const sentence = 'No worker that knows the kind "work" has been seen lately. Start one.';
    expectExplained(await queue.explain(await enqueue()), 'no_worker', sentence);
    worker.start();
    await run(10);
    clock.kill();
    await run(60_000);
    const second = join('w2');
    second.worker.start();
    await run(10);
    second.clock.kill();
    await run(60_000);
    expectExplained(
      await queue.explain(await enqueue()),
      'no_worker',
      'No worker that knows the kind "work" is alive: the last was w2, heard from at 2026-01-01T00:01:00.010Z. Start one.',
    );
    await run(HOUR_MS);
    expectExplained(await queue.explain(await enqueue()), 'no_worker', sentence);
  });

  /** So many endless jobs, and the worker that ran them gone. */
  async function lostWith(count: number) {
    const made = world({ kinds: [endless], worker: { lease: '10s' } });
    made.worker.start();
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) ids.push(await made.enqueue());
    await made.run(10);
    made.clock.kill();
    await made.run(5_000);
    return { ...made, ids, successor: made.join('w2').worker };
  }

  it('suspect', async () => {
    const { queue, ids, run, enqueue, successor } = await lostWith(1);
    successor.start();
    await enqueue();
    await run(30_000);
    expectExplained(
      await queue.explain(ids[0] ?? ''),
      'suspect',
      'A worker was lost while it may have run. Now w2 has it, and runs it alone as soon as nothing else runs there.',
      START + 45_010,
    );
  });

  it('suspect_first', async () => {
    const { queue, ids, run, enqueue, successor } = await lostWith(1);
    successor.start();
    await run(30_000);
    expectExplained(
      await queue.explain(await enqueue()),
      'suspect_first',
      `A worker was lost with ${ids[0]}: it now runs alone on w2. The others go on when it has ended.`,
    );
  });

  it('suspect_first, of somebody else: without the id', async () => {
    const { store, registry, events, ids, run, enqueue, successor } = await lostWith(1);
    successor.start();
    await run(30_000);
    const id = await enqueue({ submitter: 'bob' });
    const enqueueIn = () => Promise.reject(new Error('nothing is enqueued by asking'));
    const seen = within({ ...store, enqueueIn }, { tenants: 'all', tenant: '', owner: 'bob' });
    const explanation = await createQueue({ store: seen, registry, events }).explain(id);
    expect(explanation.sentence).not.toContain(ids[0]);
    expectExplained(
      explanation,
      'suspect_first',
      'A worker was lost with another job: it now runs alone on w2. The others go on when it has ended.',
    );
  });

  it('suspect, that waits behind another', async () => {
    const { queue, ids, run, successor } = await lostWith(2);
    successor.start();
    await run(30_000);
    expectExplained(
      await queue.explain(ids[1] ?? ''),
      'suspect',
      'A worker was lost while it may have run. It waits for a worker to be empty, and then runs alone there.',
    );
  });

  it('workers_paused', async () => {
    const { worker, enqueue, run, queue } = world();
    worker.start();
    worker.pause();
    await run(10);
    expectExplained(
      await queue.explain(await enqueue()),
      'workers_paused',
      'Every worker for the kind "work" is paused or stopping: w1.',
    );
  });

  it('pool_window', async () => {
    const pauseWindows = [{ cron: '0 0 * * *', lasts: '1h' }] as const;
    const { worker, enqueue, run, queue } = world({
      worker: { pools: [{ name: 'all', pauseWindows }] },
    });
    worker.start();
    await run(15_000);
    expectExplained(
      await queue.explain(await enqueue()),
      'pool_window',
      'A pause window holds its pool until 2026-01-01T01:00:00.000Z.',
      START + HOUR_MS,
    );
  });

  it('below_min_priority', async () => {
    const { worker, enqueue, run, queue } = world({
      worker: { pools: [{ name: 'urgent', minPriority: 5 }] },
    });
    worker.start();
    await run(10);
    expectExplained(
      await queue.explain(await enqueue({ priority: 4 })),
      'below_min_priority',
      'Its priority (4) is below the minimum of every pool for its kind.',
    );
    expect((await queue.explain(await enqueue())).sentence).toContain('Its priority (none)');
    expect((await queue.explain(await enqueue({ priority: 5 }))).reason).toBe('about_to_run');
  });

  it('tenant_quota', async () => {
    const { worker, enqueue, run, queue } = world({
      kinds: [work(never, { timeout: '1d', quota: { running: 1 } })],
    });
    worker.start();
    await enqueue({ tenant: 'acme' });
    const id = await enqueue({ tenant: 'acme' });
    await run(20_000);
    expectExplained(
      await queue.explain(id),
      'tenant_quota',
      'Its tenant runs one job of this kind, as many as the quota allows.',
    );
  });

  it('slots_full', async () => {
    const { worker, enqueue, run, queue } = world({
      kinds: [endless],
      worker: { pools: [{ name: 'all', concurrency: 1 }] },
    });
    worker.start();
    for (let n = 0; n < 2; n++) await enqueue();
    const id = await enqueue();
    await run(20_000);
    expectExplained(
      await queue.explain(id),
      'slots_full',
      'All slots for its kind are taken; one job of its kind and tenant comes first.',
    );
  });

  it('slots_full, of the kind alone', async () => {
    const { worker, enqueue, run, queue } = world({
      kinds: [work(never, { timeout: '1d', concurrency: 1 })],
    });
    worker.start();
    await enqueue();
    const id = await enqueue();
    await run(20_000);
    expectExplained(
      await queue.explain(id),
      'slots_full',
      'All slots for its kind are taken; 0 jobs of its kind and tenant come first.',
    );
  });

  it('behind_others', async () => {
    const { worker, enqueue, run, queue, line } = world();
    worker.start();
    await run(10);
    line.away.add('claim');
    for (let n = 0; n < 2; n++) await enqueue();
    expectExplained(
      await queue.explain(await enqueue()),
      'behind_others',
      '2 jobs of its kind and tenant come first.',
    );
  });

  it('about_to_run', async () => {
    const { worker, enqueue, run, queue, line } = world();
    worker.start();
    await run(10);
    line.away.add('claim');
    expectExplained(
      await queue.explain(await enqueue()),
      'about_to_run',
      'It is due and next in line: a worker takes it with its next claim.',
    );
  });

  it('one worker that could is enough, and one whose report cannot be read is none', async () => {
    const { worker, join, enqueue, run, queue, store } = world({
      worker: { pools: [{ name: 'urgent', minPriority: 5 }] },
    });
    worker.start();
    await store.control?.reportWorker({ worker: 'odd', kinds: ['work'], stats: '{' });
    await run(10);
    const id = await enqueue();
    expect((await queue.explain(id)).reason).toBe('below_min_priority');
    const second = join('w2', {});
    second.line.away.add('claim');
    second.worker.start();
    await run(10);
    expect((await queue.explain(id)).reason).toBe('about_to_run');
  });
});
