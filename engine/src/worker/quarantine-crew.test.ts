import { expect, it } from 'vitest';
import { LEASE_MS, byName } from '../../test/suspects.ts';
import { createWorld, work } from '../../test/world.ts';
import { createCrew, createEvents, createRegistry, createWorker } from '../index.ts';

const INTERVAL = { active: '1h', idle: '1h' } as const;

/** A worker for "other" in the process of the first, which has "work": two stores in one process have one each. */
function twoWorkers() {
  const jobs = byName();
  const crew = createCrew();
  const other = work(jobs.handler, { kind: 'other', timeout: '1d' });
  const made = createWorld({
    kinds: [work(jobs.handler, { timeout: '1d' }), other],
    worker: { lease: LEASE_MS, pools: [{ name: 'a', kinds: ['work'], interval: INTERVAL }] },
  });
  const workerFor = (id: string, kind: 'work' | 'other') =>
    createWorker({
      config: { id, lease: LEASE_MS, pools: [{ name: kind, kinds: [kind], interval: INTERVAL }] },
      store: made.store,
      registry: createRegistry([kind === 'other' ? other : work(jobs.handler, { timeout: '1d' })]),
      clock: made.clock,
      random: () => 0.5,
      events: createEvents(),
      crew,
    });
  return { ...made, ...jobs, first: workerFor('w1', 'work'), second: workerFor('w2', 'other') };
}

it('a suspect waits for what other workers of its process run, and they wait for it', async () => {
  const { first, second, enqueue, join, run, begun, end } = twoWorkers();
  const suspect = await enqueue({ data: 'suspect' });
  const dying = join('dying');
  dying.worker.start();
  await run(10);
  dying.clock.kill();
  await run(LEASE_MS);
  begun.length = 0;

  await enqueue({ kind: 'other', data: 'neighbour' });
  second.start();
  await run(10);
  first.start();
  await run(5_000);
  expect(begun, 'the suspect waits').toEqual(['neighbour']);
  expect([first.status().alone, second.status().alone]).toEqual([suspect, suspect]);

  end('neighbour');
  await run(100);
  await enqueue({ kind: 'other', data: 'later' });
  await run(100);
  expect(begun, 'and nothing begins beside it').toEqual(['neighbour', 'suspect']);

  end('suspect');
  await run(100);
  expect(begun).toEqual(['neighbour', 'suspect', 'later']);
  expect(second.status().alone).toBeNull();
});
