import { expect, it } from 'vitest';
import { createWorld, untilAborted, work } from '../../test/world.ts';
import { watchLoop } from './blocked.ts';
import { createEvents } from '../events.ts';
import type { Leases } from './leases.ts';
import type { Running } from './running.ts';

/** A loop that a test holds up: timers come when it is let go, and not before. */
function heldLoop(leaseMs: number) {
  let now = 0;
  let timer: { at: number; fire: () => void } | null = null;
  const running = new Map<string, Running>();
  const events = createEvents();
  const emitted: unknown[] = [];
  events.on('worker.blocked', (event) => emitted.push(event));
  const watch = watchLoop({
    clock: {
      now: () => now,
      after: (ms, fire) => {
        timer = { at: now + ms, fire };
        return () => (timer = null);
      },
    },
    events,
    leaseMs,
    leases: { running, remove: ({ job }: Running) => running.delete(job.id) } as unknown as Leases,
  });
  watch.start();
  return {
    emitted,
    remove: watch.leases.remove,
    begin(id: string): Running {
      const each = { job: { id, kind: 'work' }, startedAt: now } as Running;
      running.set(id, each);
      return each;
    },
    /** Computes for so long without letting go. */
    spin: (ms: number) => void (now += ms),
    letGo(): void {
      const due = timer;
      if (due === null) return;
      now = Math.max(now, due.at);
      due.fire();
    },
  };
}

it('reports what ran while nothing else could, also what has ended by then', () => {
  const loop = heldLoop(120_000);
  loop.begin('runs');
  const spinner = loop.begin('spun');
  loop.spin(13_001);
  loop.remove(spinner);
  loop.remove(loop.begin('began after'));
  loop.letGo();
  expect(loop.emitted).toEqual([
    {
      ms: 12_001,
      jobs: [
        { id: 'runs', kind: 'work' },
        { id: 'spun', kind: 'work' },
      ],
      more: 0,
    },
  ]);
  loop.letGo();
  expect(loop.emitted).toHaveLength(1);
});

it('is silent below a tenth of the lease', () => {
  const loop = heldLoop(120_000);
  loop.begin('a');
  loop.spin(13_000);
  loop.letGo();
  expect(loop.emitted).toEqual([]);
});

it('names ten, and how many more there were', () => {
  const loop = heldLoop(10_000);
  for (let n = 1; n <= 2_000; n++) loop.remove(loop.begin(`job-${n}`));
  for (let n = 1; n <= 12; n++) loop.begin(`running-${n}`);
  loop.spin(5_000);
  loop.letGo();
  expect(loop.emitted).toMatchObject([
    { jobs: Array.from({ length: 10 }, () => ({ kind: 'work' })) },
  ]);
});

it('a worker that was frozen is reported with its jobs, and a take-over with the worker before', async () => {
  const { worker, enqueue, run, clock, of, join } = createWorld({
    kinds: [work((_, context) => untilAborted(context))],
    worker: { lease: '10s' },
  });
  worker.start();
  const id = await enqueue();
  await run(5_000);
  clock.freeze();
  const other = join('w2');
  other.worker.start();
  await run(30_000);
  clock.thaw();
  await run(10);
  expect(of('worker.blocked')).toMatchObject([{ jobs: [{ id, kind: 'work' }], more: 0 }]);
  expect(other.of('lease.takenOver')).toMatchObject([{ count: 1, jobs: [id], workers: ['w1'] }]);
  expect(other.of('worker.blocked')).toEqual([]);
});
