import { describe, expect, it } from 'vitest';
import {
  FIRST_CLAIM,
  type Handler,
  answeringAfter,
  createWorld,
  later,
  never,
  untilAborted,
  work,
} from '../../test/world.ts';
import type { Lease } from '../job.ts';
import type { Hint } from '../port.ts';

/** A hint that a job is to stop may overtake the answer of the claim that gave the job. */

const obedient: Handler = (_, context) => untilAborted(context);

/** Of a job's first claim, in a world whose jobs are all claimed by the first. */
function leaseOf(id: string, changes: Partial<Lease> = {}): Lease {
  return { id, epoch: 1, claim: FIRST_CLAIM, ...changes };
}

/** A worker that hears only the hints that the test gives. */
function world(run: Handler) {
  let listener: (hint: Hint) => void = () => {};
  const made = createWorld({
    kinds: [work(run)],
    wrap: (store) => ({
      ...store,
      watch(given) {
        listener = given;
        return () => {};
      },
    }),
  });
  return { ...made, cancel: (...leases: Lease[]) => listener({ type: 'cancel', leases }) };
}

it('stops the job as soon as it begins', async () => {
  const answer = later();
  let begun = 0;
  const { worker, queue, enqueue, run, job } = createWorld({
    kinds: [
      work((given, context) => {
        begun += 1;
        return obedient(given, context);
      }),
    ],
    wrap: answeringAfter(answer.promise),
  });
  const id = await enqueue();
  worker.start();
  await run(10);
  await queue.cancel([id]);
  await run(10);
  expect(begun).toBe(0);
  answer.resolve();
  await run(10);
  expect(await job(id)).toMatchObject({ state: 'CANCELED' });
});

describe('a hint about another lease of the same job', () => {
  it.each<[string, Partial<Lease>]>([
    ['another claim', { claim: FIRST_CLAIM + 1 }],
    ['another epoch', { epoch: 2 }],
  ])('stops nothing, before the answer or after: %s', async (_, changes) => {
    const { worker, enqueue, run, job, cancel } = world(obedient);
    const id = await enqueue();
    worker.start();
    cancel(leaseOf(id, changes));
    await run(10_000);
    cancel(leaseOf(id, changes));
    await run(10_000);
    expect(await job(id)).toMatchObject({ state: 'PROCESSING' });
    cancel(leaseOf(id));
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'CANCELED' });
  });
});

describe('of requests to stop what is not here', () => {
  const others = (count: number): Lease[] =>
    Array.from({ length: count }, (_, n) => leaseOf(`mem-${n + 100}`));

  it('a thousand are remembered, the newest', async () => {
    const { worker, enqueue, run, job, cancel } = world(obedient);
    const [forgotten, remembered] = [await enqueue(), await enqueue()];
    worker.start();
    cancel(leaseOf(forgotten), leaseOf(remembered), ...others(999));
    await run(10);
    expect(await job(forgotten)).toMatchObject({ state: 'PROCESSING' });
    expect(await job(remembered)).toMatchObject({ state: 'CANCELED' });
  });

  it('one that comes again is the newest', async () => {
    const { worker, enqueue, run, job, cancel } = world(obedient);
    const id = await enqueue();
    worker.start();
    cancel(leaseOf(id), ...others(999), leaseOf(id), leaseOf('mem-99'));
    await run(10);
    expect(await job(id)).toMatchObject({ state: 'CANCELED' });
  });
});

it('a job that is deaf to it is given up like any other that was cancelled', async () => {
  const { worker, enqueue, run, job, cancel } = world(never);
  const id = await enqueue();
  worker.start();
  cancel(leaseOf(id));
  await run(5_100);
  expect(await job(id)).toMatchObject({ state: 'CANCELED' });
  expect(worker.status().inFlight).toBe(0);
});
