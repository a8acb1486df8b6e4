import { describe, expect, it } from 'vitest';
import { type Handler, createWorld, untilAborted, work } from '../../test/world.ts';
import { done } from '../kinds/outcome.ts';
import type { Lease } from '../job.ts';

/** Outcomes that wait to be written are done work: their leases are kept, so that it is not done again. */

const LEASE_MS = 30_000;

function world(run: Handler) {
  const pools = [{ name: 'all', interval: { active: '1s', idle: '1s' } }] as const;
  const made = createWorld({
    kinds: [work(run)],
    worker: { lease: LEASE_MS, shutdownGrace: 0, pools },
  });
  /** Looks every second for what it can take over. */
  const other = made.join('w2');
  return { ...made, other };
}

describe('an outcome that cannot be written', () => {
  it('for three leases is kept all the while, and the job ends once', async () => {
    let executions = 0;
    const { worker, other, enqueue, run, job, line, of } = world(async () => {
      executions += 1;
      return done(executions);
    });
    worker.start();
    const id = await enqueue();
    line.away.add('settle');
    await run(10);
    other.worker.start();
    await run(3 * LEASE_MS);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', worker: 'w1' });
    line.away.delete('settle');
    await run(10_000);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', attempt: 1, result: '1' });
    expect(executions).toBe(1);
    expect(of('job.succeeded')).toHaveLength(1);
    expect(other.worker.status().totals.takenOver).toBe(0);
  });

  it('is renewed every third of a lease, and not once it is written', async () => {
    const { worker, enqueue, run, line } = world(async () => {});
    worker.start();
    await enqueue();
    line.away.add('settle');
    await run(LEASE_MS);
    const renewals = line.count('renew');
    expect(renewals).toBeGreaterThanOrEqual(2);
    expect(renewals).toBeLessThanOrEqual(3);
    line.away.delete('settle');
    await run(10_000);
    const before = line.count('renew');
    await run(3 * LEASE_MS);
    expect(line.count('renew')).toBe(before);
  });

  it('is kept also when the renewal itself fails for a while', async () => {
    const { worker, other, enqueue, run, job, line } = world(async () => {});
    worker.start();
    await run(5_000);
    const id = await enqueue();
    line.away.add('settle');
    await run(10);
    other.worker.start();
    line.away.add('renew');
    // The renewal of the tenth second fails, and so do those until the thirtieth. The lease ends in the 35th.
    await run(25_000);
    line.away.delete('renew');
    await run(LEASE_MS);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING', worker: 'w1' });
  });
});

it('a job that is only handed back is not renewed: its lease shows that it may have never begun', async () => {
  const { worker, other, enqueue, run, job, line } = world((_, context) => untilAborted(context));
  worker.start();
  const id = await enqueue();
  await run(10);
  line.away.add('settle');
  void worker.stop();
  await run(LEASE_MS - 1_000);
  expect(worker.status().settling).toBe(1);
  const renewed = line.calls.filter(({ verb }) => verb === 'renew');
  expect(renewed.flatMap(({ params }) => (params as { leases: Lease[] }).leases)).toEqual([]);
  other.worker.start();
  await run(3_000);
  expect(await job(id)).toMatchObject({ state: 'PROCESSING', worker: 'w2', attempt: 1 });
});
