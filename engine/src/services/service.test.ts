import { createVirtualTime } from '@millrace/testkit';
import { expect, it } from 'vitest';
import { later } from '../../test/world.ts';
import { createEvents } from '../events.ts';
import { startService } from './service.ts';

function world(runOnce: () => Promise<{ nextMs: number }>) {
  const time = createVirtualTime();
  const rounds: number[] = [];
  const events = createEvents();
  const failures: unknown[] = [];
  events.on('store.failed', (event) => failures.push(event));
  const service = startService(
    {
      name: 'sweeper',
      runOnce() {
        rounds.push(time.now());
        return runOnce();
      },
    },
    time.process(),
    events,
    5_000,
  );
  return { service, rounds, failures, run: (ms: number) => time.run(time.now() + ms) };
}

it('runs at once, then when each round says', async () => {
  const { rounds, run } = world(async () => ({ nextMs: 1_000 }));
  await run(2_500);
  expect(rounds).toEqual([0, 1_000, 2_000]);
});

it('reports a round that failed, and tries again', async () => {
  const { rounds, failures, run } = world(() => Promise.reject(new Error('no')));
  await run(11_000);
  expect(rounds).toEqual([0, 5_000, 10_000]);
  expect(failures[0]).toMatchObject({ during: 'sweeper', error: { message: 'no' } });
});

it('never runs two rounds at once', async () => {
  const round = later<{ nextMs: number }>();
  const { rounds, run } = world(() => round.promise);
  await run(60_000);
  expect(rounds).toEqual([0]);
  round.resolve({ nextMs: 1_000 });
  await run(1_500);
  expect(rounds).toEqual([0, 61_000]);
});

it('stops after the round under way, and for good', async () => {
  const round = later<{ nextMs: number }>();
  const { service, rounds, run } = world(() => round.promise);
  await run(10);
  let stopped = false;
  void service.stop().then(() => (stopped = true));
  await run(10);
  expect(stopped).toBe(false);
  round.resolve({ nextMs: 1_000 });
  await run(60_000);
  expect(stopped).toBe(true);
  await run(60_000);
  expect(rounds).toEqual([0]);
});
