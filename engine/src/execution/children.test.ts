import { describe, expect, it } from 'vitest';
import { runOnce } from '../../test/run-once.ts';
import { type Handler, later } from '../../test/world.ts';
import { MillraceError } from '../errors.ts';
import { defer, done } from '../kinds/outcome.ts';

describe('children', () => {
  it('come with success, and inherit whose they are', async () => {
    const { all } = await runOnce(async (_, { enqueue }) => {
      enqueue({ kind: 'child', data: 1 });
      enqueue({ kind: 'child', data: 2, tenant: 'other', correlationId: 'c2' });
      enqueue({ kind: 'child', data: 3, subject: 'p2' });
    });
    const parents = { work: 'mem-1' };
    expect(await all('child')).toMatchObject([
      {
        payload: '1',
        tenant: 'acme',
        correlationId: 'c1',
        submitter: 'ann',
        subject: 'p1',
        parents,
      },
      { payload: '2', tenant: 'other', correlationId: 'c2', submitter: 'ann', subject: 'p1' },
      { payload: '3', subject: 'p2' },
    ]);
  });

  it('come with a defer, and not with a failure', async () => {
    const enqueueAnd =
      (end: () => ReturnType<Handler>): Handler =>
      async (_, { enqueue }) => {
        enqueue({ kind: 'child', data: null });
        return (await end()) as ReturnType<typeof done>;
      };
    expect(
      await (await runOnce(enqueueAnd(async () => defer({ after: '1h' })))).all('child'),
    ).toHaveLength(1);
    expect(
      await (await runOnce(enqueueAnd(() => Promise.reject(new Error('no'))))).all('child'),
    ).toHaveLength(0);
  });

  it('that are not possible fail the handler that asks for them', async () => {
    const { ended } = await runOnce(async (_, { enqueue }) =>
      enqueue({ kind: 'nobody', data: null }),
    );
    expect(ended).toMatchObject({
      state: 'FAILED',
      error: { code: 'unknown_kind', retryable: false },
    });
  });

  it('whose data JSON would change fail it too, with the place', async () => {
    const { ended, all } = await runOnce(async (_, { enqueue }) =>
      enqueue({ kind: 'child', data: { seen: new Set([1]) } }),
    );
    expect(ended.error).toEqual({
      code: 'invalid_payload',
      message: expect.stringContaining(
        'The payload holds an object of the class Set at $.seen,',
      ) as string,
      retryable: false,
    });
    expect(await all('child')).toEqual([]);
  });

  it('are refused once the handler is over: nobody would ever make them', async () => {
    const goOn = later();
    let refusal: unknown = null;
    const { run, all } = await runOnce(async (_, { enqueue }) => {
      void goOn.promise
        .then(() => enqueue({ kind: 'child', data: null }))
        .catch((error: unknown) => (refusal = error));
    });
    goOn.resolve();
    await run(10);
    expect(refusal).toBeInstanceOf(MillraceError);
    expect(String(refusal)).toContain('The job mem-1 is over and makes no more children.');
    expect(await all('child')).toEqual([]);
  });

  it('by the ten thousand take no longer than their number', async () => {
    const { store } = await runOnce(async (_, { enqueue }) => {
      for (let n = 0; n < 10_000; n++) enqueue({ kind: 'child', data: n });
    });
    expect(await store.counts()).toContainEqual({
      kind: 'child',
      tenant: 'acme',
      state: 'QUEUED',
      count: 10_000,
      scheduled: 0,
    });
  });
});
