import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runOnce } from '../../test/run-once.ts';
import { START } from '../../test/world.ts';
import { defer, done } from '../kinds/outcome.ts';

describe('defer', () => {
  const count = z.object({ n: z.number() });

  it('puts the same job back with new data and without using an attempt', async () => {
    const seen: unknown[] = [];
    const { run, job, id, of, all } = await runOnce(
      async ({ data, attempt }) => {
        const { n } = count.parse(data);
        seen.push([n, attempt]);
        return n < 8 ? defer({ after: '2s', data: { n: n + 1 } }) : done();
      },
      { input: count },
      { n: 1 },
    );
    expect(await job(id)).toMatchObject({
      state: 'QUEUED',
      attempt: 0,
      runAt: START + 2_000,
      payload: '{"n":2}',
    });
    await run(20_000);
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((n) => [n, 1]));
    expect(await job(id)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
    expect(await all('work')).toHaveLength(1);
    expect(of('job.deferred')).toHaveLength(7);
  });

  it('keeps the data it does not name', async () => {
    const { ended } = await runOnce(async () => defer({ after: '2s' }), { input: count }, { n: 1 });
    expect(ended).toMatchObject({ state: 'QUEUED', payload: '{"n":1}' });
  });

  it.each<[string, unknown, string]>([
    ['does not fit the kind', { n: 'x' }, 'validation_error'],
    ['cannot be stored', { n: 1, note: '\u0000' }, 'invalid_text'],
  ])('with data that %s fails at once', async (_, data, code) => {
    const { ended } = await runOnce(
      async () => defer({ after: '2s', data }),
      { input: count },
      { n: 1 },
    );
    expect(ended).toMatchObject({
      state: 'FAILED',
      payload: '{"n":1}',
      error: { code, retryable: false },
    });
  });

  it('for ever is as long as a store can count', async () => {
    const { ended } = await runOnce(async () => defer({ after: Infinity }));
    expect(ended).toMatchObject({ state: 'QUEUED', runAt: START + 10 * 365 * 86_400_000 });
  });
});
