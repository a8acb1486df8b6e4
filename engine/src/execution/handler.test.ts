import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorld, work } from '../../test/world.ts';

/** Data that cannot be run with: the job fails for good, and its handler never begins. */

describe('a job whose data was erased while it waited', () => {
  it.each<[string, z.ZodType]>([
    ['takes an object', z.object({})],
    ['takes anything', z.unknown()],
    ['takes null', z.null()],
  ])('fails as such, also where its kind %s', async (_, input) => {
    let begun = 0;
    const { worker, queue, enqueue, run, job } = createWorld({
      kinds: [work(async () => void (begun += 1), { input })],
    });
    const data = input instanceof z.ZodObject ? {} : null;
    const id = await enqueue({ data, subject: 'p1' });
    await queue.erase('p1');
    worker.start();
    await run(60_000);
    expect(begun).toBe(0);
    expect(await job(id)).toMatchObject({
      state: 'FAILED',
      attempt: 1,
      payload: null,
      error: { code: 'erased', retryable: false },
    });
  });

  it('is not one whose data is null', async () => {
    let begun = 0;
    const { worker, enqueue, run, job } = createWorld({
      kinds: [work(async () => void (begun += 1), { input: z.null() })],
    });
    const id = await enqueue({ data: null });
    worker.start();
    await run(10);
    expect(begun).toBe(1);
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', payload: 'null' });
  });
});

it.each(['{"month": ', '', 'May', "{'month': 1}"])(
  'data that is no JSON is reported as such, and not tried again: %j',
  async (payload) => {
    let begun = 0;
    const { worker, enqueue, run, job } = createWorld({
      kinds: [work(async () => void (begun += 1))],
      // As a record that someone edited.
      wrap: (store) => ({
        ...store,
        async claim(params) {
          const claimed = await store.claim(params);
          return { ...claimed, jobs: claimed.jobs.map((each) => ({ ...each, payload })) };
        },
      }),
    });
    const id = await enqueue();
    worker.start();
    await run(600_000);
    expect(begun).toBe(0);
    expect(await job(id)).toMatchObject({
      state: 'FAILED',
      attempt: 1,
      error: {
        code: 'validation_error',
        retryable: false,
        message: expect.stringContaining('The data of this "work" is no JSON: SyntaxError'),
      },
    });
  },
);
