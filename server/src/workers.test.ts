import { createEvents, createRegistry, createWorker, defineJob } from '@millrace/engine';
import { systemClock } from '@millrace/engine/system';
import { createMemoryStore } from '@millrace/store-memory';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { allWorkers, poolsOn } from './workers.ts';

function worker(id: string) {
  const events = createEvents();
  const created = createWorker({
    config: { id },
    store: createMemoryStore({ now: Date.now }),
    registry: createRegistry([]),
    clock: systemClock,
    random: Math.random,
    events,
  });
  return { events, worker: created };
}

test('several workers are paused, resumed, asked and stopped as one', async () => {
  const [first, second] = [worker('a'), worker('b')];
  const all = allWorkers(first.worker, [second.worker]);
  all.start();
  for (const { events } of [first, second])
    events.emit('job.succeeded', {
      id: '1',
      kind: 'k',
      tenant: '',
      attempt: 1,
      correlationId: 'c',
      durationMs: 1,
    });
  expect(all.status()).toMatchObject({
    id: 'a',
    state: 'running',
    totals: { processed: 2, succeeded: 2 },
  });
  expect(all.pause()).toBe(true);
  expect(all.pause()).toBe(false);
  expect([first.worker.status().state, second.worker.status().state]).toEqual(['paused', 'paused']);
  expect(all.resume()).toBe(true);
  await all.stop();
  expect([first.worker.status().state, second.worker.status().state]).toEqual([
    'stopped',
    'stopped',
  ]);
});

test('one worker is itself', () => {
  const { worker: alone } = worker('a');
  expect(allWorkers(alone, [])).toBe(alone);
});

test('a pool is where its kinds are, and the rest on each store under a name of its own', () => {
  const kinds = ['a', 'b'].map((kind) =>
    defineJob({ kind, input: z.object({}), run: async () => {} }),
  );
  const pools = [
    { name: 'default', concurrency: 20 },
    { name: 'both', kinds: ['a', 'elsewhere'] },
    { name: 'other', kinds: ['elsewhere'] },
  ];
  expect(poolsOn(pools, kinds)).toEqual([
    { name: 'default', concurrency: 20 },
    { name: 'both', kinds: ['a'] },
  ]);
  expect(poolsOn(pools, kinds, 'redis')[0]).toEqual({ name: 'redis', concurrency: 20 });
});
