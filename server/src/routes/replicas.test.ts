import { defineJob, done } from '@millrace/engine';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Harness, type HarnessOptions, createHarness, refusal } from '../../test/harness.ts';
import { hello } from '../../test/kinds.ts';

let harness: Harness;
function start(options: HarnessOptions = {}): Harness {
  harness = createHarness({ kinds: [hello], ...options });
  return harness;
}
afterEach(() => harness.close());

const STATS = {
  id: 'other',
  state: 'running',
  uptimeMs: 60_000,
  inFlight: 2,
  lastPoll: null,
  totals: { processed: 3, succeeded: 2, failed: 1, retries: 0 },
};

function report({ store }: Harness, stats: object): Promise<void> {
  const told = { ...STATS, ...stats };
  return store.control.reportWorker({ worker: told.id, kinds: [], stats: JSON.stringify(told) });
}

describe('replicas', () => {
  test('are reported with version, start, jobs and slots; those of before without', async () => {
    const at = start();
    const { id } = await at.client.enqueue({ body: { kind: 'hello', data: { name: 'A' } } });
    await report(at, {});
    await report(at, {
      id: 'newer',
      version: '2.0.0',
      jobs: [id, 'mem-99'],
      pools: [{ name: 'default', concurrency: 8, inFlight: 2, kinds: ['hello'] }],
    });
    const { replicas } = await at.client.listReplicas();
    const [newer, older] = replicas;
    expect(newer).toMatchObject({
      id: 'newer',
      version: '2.0.0',
      jobs: [id],
      pools: [{ name: 'default', concurrency: 8, inFlight: 2 }],
      wanted: null,
    });
    expect(Date.parse(newer?.seenAt ?? '') - Date.parse(newer?.startedAt ?? '')).toBe(60_000);
    expect(older).toMatchObject({ id: 'other', version: null, jobs: [], pools: [] });
  });

  test('one that went away is reported with what others have taken over from it', async () => {
    const at = start();
    const { id } = await at.client.enqueue({ body: { kind: 'hello', data: { name: 'A' } } });
    await report(at, { id: 'gone' });
    const tookOver = [{ worker: 'gone', at: 1_700_000_000_000, count: 6, jobs: [id, 'mem-99'] }];
    await report(at, { id: 'heir', tookOver });
    expect((await at.client.listReplicas()).replicas).toMatchObject([
      { id: 'gone', takenOver: { by: 'heir', count: 6, jobs: [id] } },
      { id: 'heir', takenOver: null },
    ]);
  });

  test('another one is paused, drained and resumed, by whom and why', async () => {
    const at = start();
    await report(at, {});
    const params = { id: 'other' };
    const body = { reason: 'Its disk is full.' };
    expect(await at.client.pauseReplica({ params, body })).toEqual({ ...params, wanted: 'paused' });
    await refusal(at.client.pauseReplica({ params }), 'conflict');
    const wanted = async () => (await at.client.listReplicas()).replicas[0]?.wanted;
    expect(await wanted()).toMatchObject({ ...body, by: 'development', state: 'paused' });
    expect(await at.client.drainReplica({ params })).toEqual({ ...params, wanted: 'drained' });
    expect(await wanted()).toMatchObject({ reason: null, state: 'drained' });
    expect(await at.client.resumeReplica({ params })).toEqual({ ...params, wanted: 'running' });
    expect(await wanted()).toBeNull();
    await refusal(at.client.resumeReplica({ params }), 'conflict');
    await refusal(at.client.drainReplica({ params: { id: 'nobody' } }), 'replica_not_found');
  });

  test('one that is asked to pause does so at once, and goes on', async () => {
    const at = start();
    const { client, worker } = at;
    const entered = (state: string) => at.next('worker.state', (event) => event.state === state);
    const running = entered('running');
    worker.start();
    await running;
    await report(at, { id: worker.id });
    const params = { id: worker.id };
    const paused = entered('paused');
    await client.pauseReplica({ params });
    await paused;
    expect(worker.status().state).toBe('paused');
    const again = entered('running');
    await client.resumeReplica({ params });
    await again;
  });

  test('one that is drained hands work in chunks back', async () => {
    let release: () => void = () => {};
    const chunks = defineJob({
      kind: 'chunks',
      input: z.object({}),
      public: true,
      async *run({ cursor }) {
        if (cursor === null) {
          await new Promise<void>((resolve) => (release = resolve));
          yield { cursor: 1 };
        }
        return done(cursor);
      },
    });
    const at = start({ kinds: [chunks] });
    const { client, worker } = at;
    const { id } = await client.enqueue({ body: { kind: 'chunks' } });
    const begun = at.next('job.started');
    worker.start();
    await begun;
    await report(at, { id: worker.id });
    const paused = at.next('worker.state', ({ state }) => state === 'paused');
    await client.drainReplica({ params: { id: worker.id } });
    await paused;
    const back = at.next('job.handedBack');
    release();
    await back;
    expect(await client.getJob({ params: { id } })).toMatchObject({ state: 'QUEUED', cursor: 1 });
  });
});

test('a kind that is held back says why', async () => {
  const { client } = start();
  const params = { kind: 'hello' };
  await client.pauseKind({ params, body: { reason: 'The warehouse reloads.' } });
  const { kinds } = await client.listKinds({ query: { paused: 'true' } });
  expect(kinds).toMatchObject([{ name: 'hello', paused: { reason: 'The warehouse reloads.' } }]);
  await refusal(client.pauseKind({ params, body: { reason: 'x'.repeat(201) } }), 'invalid_request');
});
