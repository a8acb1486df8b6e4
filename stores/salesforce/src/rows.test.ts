import { StoreUnavailable } from '@millrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  FAILED,
  LEASE_MS,
  LEVELS,
  claim,
  claimParams,
  made,
  recordOf,
  running,
  settle,
  settleAll,
  untilAnswered,
  waiting,
} from '../test/documents.ts';
import { SUCCEEDED, files, shown, strayFiles } from '../test/inside.ts';
import { AT_ONCE, type World, startOrg } from '../test/org.ts';
import type { SalesforceStore } from './index.ts';

describe.each(LEVELS)('one record among many, with $level', ({ apex }) => {
  let world: World;
  let store: SalesforceStore;

  beforeEach(async () => {
    world = await startOrg({ apex, dailyContentVersions: 3 });
    store = world.open({}, AT_ONCE);
    await store.level();
  });
  afterEach(() => world.close());

  it('a lease that could not be renewed is not said to be', async () => {
    const { id, job } = await running(world, store);
    const { LockedUntil: before } = shown(world.org, id);
    await world.advance(60_000);
    const { id: fault } = world.org.faults.add({ kind: 'lock', record: id });
    const renew = () => store.renew({ leases: [job], leaseMs: LEASE_MS });
    await expect(renew()).rejects.toThrow(StoreUnavailable);
    expect(shown(world.org, id)['LockedUntil']).toBe(before);

    world.org.faults.remove(fault);
    expect(await renew()).toEqual(['renewed']);
    expect(shown(world.org, id)['LockedUntil']).not.toBe(before);
  });

  it('a request to stop that could not be written is not said to be', async () => {
    const { id, job } = await running(world, store);
    const { id: fault } = world.org.faults.add({ kind: 'lock', record: id });
    const cancel = () => store.cancel({ select: { ids: [job.id] } });
    await expect(cancel()).rejects.toThrow(StoreUnavailable);
    world.org.faults.remove(fault);
    expect(await cancel()).toEqual({ canceled: [], requested: [job.id] });
    expect(world.org.org.record(id)).toMatchObject({ CancelRequested__c: true });
  });

  it.each(['conversion_timeout', 'erased', 'worker_lost', 'template_not_found'])(
    'a failure for good by %s is not said to pass, one that waits for its next attempt is',
    async (code) => {
      const error = { code, message: 'No.', retryable: false };
      const { job: given } = await running(world, store);
      await settle(store, given, { move: 'fail', error, stack: null });
      expect(await store.get({ id: given.id })).toMatchObject({ state: 'FAILED', error });
      const { job } = await running(world, store);
      const passing = { ...error, retryable: true };
      await settle(store, job, { move: 'retry', error: passing, stack: null, delayMs: 60_000 });
      expect(await store.get({ id: job.id })).toMatchObject({ state: 'QUEUED', error: passing });
    },
  );

  it('new files that are no longer allowed today: refused, to be tried again', async () => {
    for (let n = 0; n < 4; n += 1) await waiting(world.org);
    const answers = await settleAll(store, await claim(store));
    expect(answers.slice(0, 3)).toEqual(['settled', 'settled', 'settled']);
    expect(answers[3]).toMatchObject({ refused: { code: 'upload_failed', retryable: true } });
    expect(files(world.org)).toHaveLength(3);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('a worker with a long name', async () => {
    const worker = 'w'.repeat(200);
    const id = await waiting(world.org);
    const params = claimParams({ worker });
    expect((await store.claim(params)).jobs).toHaveLength(1);
    expect((await store.claim({ ...params, replay: true })).jobs).toHaveLength(1);
    expect(world.org.org.record(id)).toMatchObject({ Worker__c: 'w'.repeat(120) });
  });

  it('requests that are too large for one answer of Apex are read all the same', async () => {
    for (let n = 0; n < 12; n += 1)
      await waiting(world.org, { RequestJSON__c: JSON.stringify({ n, x: 'x'.repeat(100_000) }) });
    const jobs = await claim(store);
    const read = jobs.map(({ payload }) => JSON.parse(payload ?? '') as { n: number; x: string });
    expect(read.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    for (const { x } of read) expect(x).toHaveLength(100_000);
  });

  it('a record without a request is given as it is; one that was erased has none', async () => {
    const empty = await waiting(world.org, { RequestJSON__c: null });
    const gone = await waiting(world.org, { Subject__c: 'person-9' });
    await store.erase({ subject: 'person-9' });
    const jobs = await claim(store);
    expect(jobs.map(({ id, payload }) => [recordOf(id), payload])).toEqual([
      [empty, 'null'],
      [gone, null],
    ]);
  });

  it('the request of a document that is made is emptied where that is asked for', async () => {
    const purging = world.open({ purgeRequests: true }, AT_ONCE);
    const [done, failed] = [await waiting(world.org), await waiting(world.org)];
    const jobs = await claim(purging);
    const request = world.org.org.record(done)?.['RequestJSON__c'];
    expect(request).toEqual(expect.stringContaining('{'));
    for (const job of jobs) await settle(purging, job, recordOf(job.id) === done ? made() : FAILED);
    expect(world.org.org.record(done)).toMatchObject({
      Status__c: 'SUCCEEDED',
      RequestJSON__c: null,
    });
    expect(world.org.org.record(failed)).toMatchObject({ Status__c: 'FAILED' });
    expect(world.org.org.record(failed)?.['RequestJSON__c']).not.toBeNull();
  });

  it('a result that is too long fails the whole call, before anything is written', async () => {
    const [id, neighbour] = [await waiting(world.org), await waiting(world.org)];
    const jobs = await claim(store);
    const long = JSON.stringify('x'.repeat(131_072));
    const outcome = { move: 'succeed', result: long, purgePayload: false, effects: [] } as const;
    const settling = settleAll(store, jobs, (job) => (recordOf(job.id) === id ? outcome : made()));
    await expect(settling).rejects.toMatchObject({ code: 'payload_too_large' });
    for (const each of [id, neighbour])
      expect(shown(world.org, each)).toMatchObject({ Status: 'PROCESSING' });
    expect(files(world.org)).toEqual([]);
  });
});

describe('one record among many, without Apex to stand between them', () => {
  let world: World;
  let store: SalesforceStore;

  beforeEach(async () => {
    world = await startOrg({ apex: false });
    store = world.open({}, AT_ONCE);
  });
  afterEach(() => world.close());

  it('a lease that the org does not let be taken leaves the others to be claimed', async () => {
    for (let n = 0; n < 3; n += 1) await waiting(world.org);
    world.org.faults.add({ kind: 'storage', object: 'Docgen_Lease__c', times: 1 });
    const jobs = await claim(store);
    expect(jobs).toHaveLength(2);
    const rest = await claim(store);
    expect(rest).toHaveLength(1);
    expect(await settleAll(store, [...jobs, ...rest])).toEqual(['settled', 'settled', 'settled']);
    expect(files(world.org)).toHaveLength(3);
  });

  it('when none can be taken, the reason is reported', async () => {
    const id = await waiting(world.org);
    world.org.faults.add({ kind: 'storage', object: 'Docgen_Lease__c' });
    await expect(claim(store)).rejects.toThrow('STORAGE_LIMIT_EXCEEDED');
    expect(shown(world.org, id)).toEqual({ Status: 'QUEUED', Attempts: 0 });
  });

  it('an expired lease that cannot be ended does not keep others from being claimed', async () => {
    const { id } = await running(world, store);
    await world.advance(LEASE_MS + 2_000);
    const next = await waiting(world.org);
    world.org.faults.add({ kind: 'storage', object: 'Docgen_Lease__c', times: 1 });
    const jobs = await claim(store);
    expect(jobs.map((job) => recordOf(job.id))).toEqual([next]);
    expect(shown(world.org, id)).toMatchObject({ Status: 'PROCESSING' });
    expect((await claim(store, { alone: true })).map((job) => recordOf(job.id))).toEqual([id]);
  });

  it('rows of leases are forgotten after a day', async () => {
    const leases = () => world.org.org.records('Docgen_Lease__c').length;
    const { job } = await running(world, store);
    await settle(store, job);
    expect(leases()).toBe(2);
    await world.advance(49 * 3_600_000);
    await claim(store);
    expect(leases()).toBe(0);
  });

  it('a query that the org refuses is reported, not taken for an empty queue', async () => {
    await waiting(world.org);
    const blind = world.open({ names: { fields: { traceparent: 'Trace__c' } } }, AT_ONCE);
    await expect(claim(blind)).rejects.toThrow('Trace__c');
  });

  it('a settling whose end cannot be written leaves the record to be taken over', async () => {
    const { id, job } = await running(world, store);
    world.org.faults.add({ kind: 'storage', object: 'Docgen_Lease__c', times: 1 });
    expect(await settle(store, job)).toHaveProperty('refused');
    expect(files(world.org)).toEqual([]);
    expect(await untilAnswered(() => settle(store, job))).toBe('settled');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(1);
  });
});
