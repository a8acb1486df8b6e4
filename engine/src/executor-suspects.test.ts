import { expect, it } from 'vitest';
import { suspectIn, twoPools } from '../test/suspects.ts';
import { withoutHints } from '../test/world.ts';
import { MillraceError } from './errors.ts';
import type { RenewAnswer } from './port-parts.ts';

/** A suspect begins once the store knows it: only then does the loss of its worker count. */

it('its lease is renewed first, and what then dies with it is an attempt', async () => {
  const made = twoPools();
  const { join, run, job, begun } = made;
  const id = await suspectIn(made);
  expect(await job(id)).toMatchObject({ attempt: 1 });
  const second = join('w2');
  second.line.refused.set('renew', () => {
    expect(begun).toEqual([]);
    return null;
  });
  second.worker.start();
  await run(100);
  expect(second.line.calls.filter(({ verb }) => verb === 'renew')).toMatchObject([
    { params: { leases: [{ id, epoch: 2 }] } },
  ]);
  expect(begun).toEqual(['suspect']);
  expect(await job(id)).toMatchObject({ attempt: 1 });
  second.clock.kill();
  await run(30_000);
  made.worker.start();
  await run(100);
  expect(await job(id)).toMatchObject({ state: 'PROCESSING', worker: 'w1', attempt: 2 });
});

it('does not run when its renewal is stale: it belongs to someone else', async () => {
  const made = twoPools({
    wrap: (store) => ({
      ...store,
      renew: async ({ leases }) => leases.map((): RenewAnswer => 'stale'),
    }),
  });
  const { worker, run, line, of, begun } = made;
  const id = await suspectIn(made);
  worker.start();
  await run(500);
  expect(begun).toEqual([]);
  expect(of('lease.fenced')).toMatchObject([{ id, write: 'renew' }]);
  expect(line.count('settle')).toBe(0);
  expect(worker.status()).toMatchObject({ inFlight: 0, pools: [{ inFlight: 0 }, {}] });
});

it('is handed back when the store is away, and stays a suspect', async () => {
  const made = twoPools();
  const { worker, run, line, job, store, begun, of } = made;
  const id = await suspectIn(made);
  line.away.add('renew');
  worker.start();
  await run(10_500);
  expect(begun).toEqual([]);
  expect(of('store.failed')[0]).toMatchObject({ during: 'renew' });
  // Tried again once a second.
  expect(of('store.failed').length).toBeLessThan(12);
  expect(await job(id)).toMatchObject({ state: 'QUEUED', attempt: 0 });
  expect(await store.inspect({ id })).toMatchObject({ suspect: true });
  line.away.clear();
  await run(10_000);
  expect(begun).toEqual(['suspect']);
});

it('is left to its lease when the store does not like the renewal', async () => {
  const made = twoPools();
  const { worker, run, line, job, begun } = made;
  const id = await suspectIn(made);
  line.refused.set('renew', () => new MillraceError('invalid_key', 'no'));
  worker.start();
  await run(500);
  expect(begun).toEqual([]);
  expect(line.count('settle')).toBe(0);
  expect(await job(id)).toMatchObject({ state: 'PROCESSING', worker: 'w1' });
  expect(worker.status()).toMatchObject({ inFlight: 0, pools: [{ inFlight: 0 }, {}] });
});

it('that was asked to stop ends CANCELED without running', async () => {
  const made = twoPools({ wrap: withoutHints });
  const { worker, queue, run, line, job, begun, of } = made;
  const id = await suspectIn(made);
  let asked: Promise<unknown> | null = null;
  // Between its claim and its renewal.
  line.refused.set('renew', () => {
    asked ??= queue.cancel([id]);
    return null;
  });
  worker.start();
  await run(500);
  expect(asked).not.toBeNull();
  expect(begun).toEqual([]);
  expect(await job(id)).toMatchObject({ state: 'CANCELED' });
  expect(of('job.canceled')).toMatchObject([{ id }]);
  expect(worker.status()).toMatchObject({ inFlight: 0, pools: [{ inFlight: 0 }, {}] });
});
