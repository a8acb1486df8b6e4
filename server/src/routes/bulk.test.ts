import { RETRY, defineJob } from '@millrace/engine';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Harness, type HarnessOptions, createHarness, refusal } from '../../test/harness.ts';
import { broken, endless, hello } from '../../test/kinds.ts';
import { causeOf, groupId } from '../figures/fingerprint.ts';
import { DEVELOPER } from '../identity/caller.ts';

let harness: Harness;
function start(options: HarnessOptions = {}): Harness {
  harness = createHarness({ kinds: [hello, broken, endless], ...options });
  return harness;
}
afterEach(() => harness.close());

type Asked = NonNullable<Parameters<Harness['client']['freezeBulk']>[0]>['body'];

async function freeze({ client }: Harness, body: Asked) {
  return client.freezeBulk({ body });
}

/** Runs what was frozen, and waits for its job. */
async function run({ client, worker, next }: Harness, id: string) {
  const started = await client.runBulk({ params: { id } });
  const ended = next('job.succeeded', (event) => event.id === started.job);
  worker.start();
  await ended;
  return client.getBulk({ params: { id } });
}

async function waiting({ client }: Harness, count: number, more: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1)
    ids.push((await client.enqueue({ body: { kind: 'hello', data: { name: 'A' }, ...more } })).id);
  return ids;
}

async function statesOf({ client }: Harness, ids: readonly string[]): Promise<string[]> {
  const jobs = await Promise.all(ids.map((id) => client.getJob({ params: { id } })));
  return jobs.map(({ state }) => state);
}

async function failures(at: Harness, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    ids.push((await at.client.enqueue({ body: { kind: 'broken' } })).id);
    const failed = at.next('job.failed', ({ id }) => id === ids.at(-1));
    at.worker.start();
    await failed;
  }
  return ids;
}

describe('a frozen action', () => {
  test('says what it is about, and does nothing', async () => {
    const at = start();
    const failed = await failures(at, 3);
    const [later = ''] = await waiting(at, 1, { delay: '1h' });
    const bulk = await freeze(at, { action: 'retry', filter: { phase: 'failed,scheduled' } });
    expect(bulk).toMatchObject({
      state: 'frozen',
      matched: 4,
      count: 3,
      more: false,
      leftOut: [{ reason: 'waits', count: 1 }],
      causes: [{ code: 'no_luck', count: 3, retryable: false }],
      warning: expect.stringMatching(/^All 3 failed for good \(no_luck\)/),
      job: null,
      result: null,
      undo: { possible: false },
    });
    expect(bulk.sample.map(({ id }) => id)).toEqual(failed.toReversed());
    expect(await statesOf(at, [...failed, later])).toEqual([
      'FAILED',
      'FAILED',
      'FAILED',
      'QUEUED',
    ]);
    expect((await at.client.listBulk()).bulk.map(({ id }) => id)).toEqual([bulk.id]);
  });

  test('of a group of errors leaves jobs alone that failed of another cause', async () => {
    const fussy = defineJob({
      kind: 'fussy',
      input: z.object({ why: z.string() }),
      public: true,
      retry: RETRY.never,
      run: async ({ data }) => {
        throw new Error(data.why);
      },
    });
    const at = start({ kinds: [fussy] });
    const fail = async (why: string): Promise<string> => {
      const { id } = await at.client.enqueue({ body: { kind: 'fussy', data: { why } } });
      const failed = at.next('job.failed', (event) => event.id === id);
      at.worker.start();
      await failed;
      return id;
    };
    const long = `of row 7, ${'and so on '.repeat(100)}`;
    const meant = [await fail(`No ink, page 1 ${long}`), await fail(`No ink, page 2 ${long}`)];
    const other = await fail('No paper');
    const [first] = await at.client.listJobs({ query: { q: meant[0] } }).then(({ jobs }) => jobs);
    const group = groupId('fussy', 'unknown', causeOf(first?.error?.message.slice(0, 600) ?? ''));
    const filter = { kind: 'fussy', errorCode: 'unknown', state: 'FAILED' } as const;
    const bulk = await freeze(at, { action: 'delete', filter, group });
    expect(bulk).toMatchObject({ matched: 2, count: 2 });
    expect(await run(at, bulk.id)).toMatchObject({ result: { changed: 2 } });
    const { jobs } = await at.client.listJobs({ query: { kind: 'fussy' } });
    expect(jobs.map(({ id }) => id)).toEqual([other]);
  });

  test('runs as one job, however often it is asked for', async () => {
    const at = start();
    const ids = await waiting(at, 3, { delay: '1h' });
    const { id } = await freeze(at, { action: 'cancel', filter: { kind: 'hello' } });
    const first = await at.client.runBulk({ params: { id } });
    expect((await at.client.runBulk({ params: { id } })).job).toBe(first.job);
    const done = await run(at, id);
    expect(done).toMatchObject({
      state: 'done',
      result: { changed: 3, requested: 0, skipped: 0, failed: 0, failures: [] },
      progress: { done: 3, total: 3 },
    });
    expect(await statesOf(at, ids)).toEqual(['CANCELED', 'CANCELED', 'CANCELED']);
    const { result } = await at.client.getJob({ params: { id: first.job ?? '' } });
    expect(result).toEqual({ bulk: id, changed: 3, requested: 0, skipped: 0, failed: 0 });
  });

  test('touches no job that was made later, and passes those over that have moved on', async () => {
    const at = start();
    const [first = '', second = ''] = await waiting(at, 2, { delay: '1h' });
    const { id } = await freeze(at, { action: 'cancel', filter: { all: true } });
    const [late = ''] = await waiting(at, 1, { delay: '1h' });
    await at.client.cancelJob({ params: { id: first } });
    expect(await run(at, id)).toMatchObject({ result: { changed: 1, skipped: 1 } });
    expect(await statesOf(at, [first, second, late])).toEqual(['CANCELED', 'CANCELED', 'QUEUED']);
  });

  test('of more than are counted goes down the list', async () => {
    const at = start();
    const job = { kind: 'hello', payload: '{}', tenant: '', priority: null, maxAttempts: 1 };
    const due = { afterMs: 3_600_000 };
    await at.store.enqueue({ jobs: Array.from({ length: 10_200 }, () => ({ ...job, due })) });
    const bulk = await freeze(at, { action: 'cancel', filter: { kind: 'hello' } });
    expect(bulk).toMatchObject({ matched: 10_000, count: 10_000, more: true });
    expect(await run(at, bulk.id)).toMatchObject({ result: { changed: 10_200, skipped: 0 } });
    expect((await at.client.counts({ query: { kind: 'hello' } })).states).toMatchObject({
      QUEUED: 0,
      CANCELED: 10_200,
    });
  });

  test('a cancel is undone: jobs wait again for their moment', async () => {
    const at = start();
    const ids = await waiting(at, 2, { delay: '1h', priority: 3 });
    const before = await Promise.all(ids.map((id) => at.client.getJob({ params: { id } })));
    const failed = await failures(at, 1);
    const { id } = await freeze(at, { action: 'cancel', ids: [...ids, ...failed] });
    await refusal(at.client.undoBulk({ params: { id } }), 'conflict');
    expect(await run(at, id)).toMatchObject({ result: { changed: 3 }, undo: { possible: true } });
    const { undo } = await at.client.undoBulk({ params: { id } });
    expect((await at.client.undoBulk({ params: { id } })).undo.job).toBe(undo.job);
    await at.next('job.succeeded', (event) => event.id === undo.job);
    const after = await Promise.all(ids.map((each) => at.client.getJob({ params: { id: each } })));
    expect(after).toEqual(before);
    expect(await statesOf(at, failed)).toEqual(['CANCELED']);
  });

  test('gives what waits another priority, and takes that back', async () => {
    const at = start();
    const ids = [
      ...(await waiting(at, 1, { delay: '1h', priority: 3 })),
      ...(await waiting(at, 1, { delay: '1h' })),
    ];
    const prioritiesOf = async () =>
      (await at.client.listJobs({ query: { kind: 'hello' } })).jobs.map(({ priority }) => priority);
    const { id } = await freeze(at, { action: 'priority', ids, priority: 9 });
    await run(at, id);
    expect(await prioritiesOf()).toEqual([9, 9]);
    const { undo } = await at.client.undoBulk({ params: { id } });
    await at.next('job.succeeded', (event) => event.id === undo.job);
    expect(await prioritiesOf()).toEqual([null, 3]);
  });

  test('deletes what has ended, and names what a store refuses', async () => {
    const at = start({
      store: (store) => ({
        ...store,
        amend: {
          ...store.amend,
          remove: async (params) => {
            if (params.id === 'mem-1') throw new Error('It is nailed down.');
            return store.amend.remove(params);
          },
        },
      }),
    });
    const ids = await failures(at, 2);
    const { id } = await freeze(at, { action: 'delete', ids });
    expect(await run(at, id)).toMatchObject({
      result: {
        changed: 1,
        failed: 1,
        failures: [{ id: 'mem-1', message: 'It is nailed down.' }],
      },
    });
  });

  test('deleting is for admins, here too', async () => {
    const at = start({
      parts: {
        authenticate: () =>
          Promise.resolve({ ...DEVELOPER, name: 'mia', roles: ['operator' as const] }),
      },
    });
    const body = { action: 'delete' as const, filter: { all: true as const } };
    await refusal(at.client.freezeBulk({ body }), 'role_missing');
  });

  test.each([
    {},
    { action: 'cancel' },
    { action: 'cancel', filter: {} },
    { action: 'cancel', filter: { all: true }, ids: ['mem-1'] },
    { action: 'cancel', ids: [] },
    { action: 'cancel', ids: ['mem-1'], priority: 3 },
    { action: 'priority', ids: ['mem-1'] },
    { action: 'priority', ids: ['mem-1'], priority: 5_000 },
    { action: 'retry', filter: { state: 'FAILED', phase: 'failed' } },
    { action: 'explode', filter: { all: true } },
  ])('is not frozen for %j', async (body) => {
    await refusal(freeze(start(), body as Asked), 'invalid_request');
  });

  test('that nobody froze is not found', async () => {
    const { client } = start();
    for (const id of ['bulk-7', 'nonsense', "bulk-1'"]) {
      await refusal(client.getBulk({ params: { id } }), 'bulk_not_found');
      await refusal(client.runBulk({ params: { id } }), 'bulk_not_found');
      await refusal(client.undoBulk({ params: { id } }), 'bulk_not_found');
    }
  });

  test('is in the audit log, with its filter and its count', async () => {
    const at = start();
    await waiting(at, 2, { delay: '1h' });
    const { id } = await freeze(at, { action: 'cancel', filter: { kind: 'hello' } });
    await at.client.runBulk({ params: { id } });
    expect((await at.client.listAudit()).entries).toMatchObject([
      { action: 'runBulk', target: id, count: 2, outcome: 'done' },
      { action: 'freezeBulk', filter: { action: 'cancel', filter: { kind: 'hello' } } },
    ]);
  });
});
