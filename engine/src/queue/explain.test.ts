import { describe, expect, it } from 'vitest';
import { HOUR_MS, endless, expectExplained, world } from '../../test/explained.ts';
import { START, work } from '../../test/world.ts';
import { JobFailure } from '../errors.ts';

it('there is no such job', async () => {
  await expect(world().queue.explain('mem-9')).rejects.toThrow(
    expect.objectContaining({ code: 'job_not_found' }),
  );
});

describe('a job that has ended', () => {
  it('succeeded', async () => {
    const { worker, enqueue, run, queue } = world();
    worker.start();
    const id = await enqueue();
    await run(10);
    expectExplained(
      await queue.explain(id),
      'succeeded',
      /^It succeeded at 2026-01-01T00:00:00\.\d{3}Z in attempt 1\.$/,
    );
  });

  it('failed', async () => {
    const { worker, enqueue, run, queue } = world({
      kinds: [work(() => Promise.reject(new JobFailure('bad', 'No.', { retryable: false })))],
    });
    worker.start();
    const id = await enqueue();
    await run(10);
    expectExplained(
      await queue.explain(id),
      'failed',
      /^It failed for good at 2026-01-01T00:00:00\.\d{3}Z after one attempt: bad: No\. "millrace retry mem-1" runs it again\.$/,
    );
  });

  it('canceled', async () => {
    const { enqueue, queue } = world();
    const id = await enqueue();
    await queue.cancel([id]);
    expectExplained(
      await queue.explain(id),
      'canceled',
      'It was cancelled at 2026-01-01T00:00:00.000Z. "millrace retry mem-1" runs it again.',
    );
  });
});

describe('a job that runs', () => {
  it('running', async () => {
    const { worker, enqueue, run, queue, job } = world({ kinds: [endless] });
    worker.start();
    const id = await enqueue();
    await run(10);
    expectExplained(
      await queue.explain(id),
      'running',
      /^It runs on w1, attempt 1 of 4, since 2026-01-01T/,
      (await job(id)).leaseUntil,
    );
  });

  it('canceling', async () => {
    const { worker, enqueue, run, queue, job } = world({ kinds: [endless] });
    worker.start();
    const id = await enqueue();
    await run(10);
    await queue.cancel([id]);
    expectExplained(
      await queue.explain(id),
      'canceling',
      'It runs on w1 and was asked to stop.',
      (await job(id)).leaseUntil,
    );
  });

  it('lease_expired', async () => {
    const { worker, enqueue, run, queue, clock } = world({
      kinds: [endless],
      worker: { lease: '10s' },
    });
    worker.start();
    const id = await enqueue();
    await run(10);
    clock.kill();
    await run(20_000);
    expectExplained(
      await queue.explain(id),
      'lease_expired',
      'It was claimed by w1. Its lease ended at 2026-01-01T00:00:10.000Z. Then the next claim of any worker takes it over.',
    );
    await run(20_000);
    expectExplained(
      await queue.explain(id),
      'lease_expired',
      'It was claimed by w1, which was last heard from at 2026-01-01T00:00:00.000Z: it died, froze or is cut off. Its lease ended at 2026-01-01T00:00:10.000Z. No worker that knows the kind "work" is alive. Start one: it takes the job over.',
    );
  });

  it('worker_silent', async () => {
    const { worker, join, enqueue, run, queue, clock } = world({ kinds: [endless] });
    worker.start();
    const id = await enqueue();
    await run(10);
    clock.kill();
    await run(14_000);
    expect((await queue.explain(id)).sentence).toMatch(/^It runs on w1, .*Z\.$/);
    await run(15_900);
    expectExplained(
      await queue.explain(id),
      'running',
      /^It was running on w1, attempt 1 of 4, since .*\. w1 should have reported since 2026-01-01T00:00:00\.000Z: if it is gone, others take the job over after 2026-01-01T00:02:00\.000Z\.$/,
      START + 120_000,
    );
    await run(1_000);
    const silent =
      'It was claimed by w1, which was last heard from at 2026-01-01T00:00:00.000Z: it died, froze or is cut off. Its lease ends at 2026-01-01T00:02:00.000Z.';
    expectExplained(
      await queue.explain(id),
      'worker_silent',
      `${silent} No worker that knows the kind "work" is alive. Start one: it takes the job over.`,
      START + 120_000,
    );
    join('w2').worker.start();
    await run(10);
    expectExplained(
      await queue.explain(id),
      'worker_silent',
      `${silent} Then the next claim of any worker takes it over.`,
      START + 120_000,
    );
  });

  it('worker_silent also where it was asked to stop: nobody is there to hear it', async () => {
    const { worker, enqueue, run, queue, clock } = world({ kinds: [endless] });
    worker.start();
    const id = await enqueue();
    await run(10);
    clock.kill();
    await queue.cancel([id]);
    await run(31_000);
    expect((await queue.explain(id)).reason).toBe('worker_silent');
  });
});

describe('a job that waits for its time', () => {
  it('scheduled', async () => {
    const { enqueue, queue } = world();
    const id = await enqueue({ delay: '1h' });
    expectExplained(
      await queue.explain(id),
      'scheduled',
      'It is not due before 2026-01-01T01:00:00.000Z.',
      START + HOUR_MS,
    );
  });

  it('retry_wait', async () => {
    const { worker, enqueue, run, queue, job } = world({
      kinds: [work(() => Promise.reject(new JobFailure('busy', 'Later.')))],
    });
    worker.start();
    const id = await enqueue();
    await run(10);
    expectExplained(
      await queue.explain(id),
      'retry_wait',
      /^Attempt 1 of 4 failed \(busy: Later\.\); the next is due at 2026-01-01T00:01:00/,
      (await job(id)).runAt,
    );
  });
});
