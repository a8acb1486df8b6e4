import { StoreUnavailable } from '@millrace/engine';
import type { CallReport } from '@millrace/salesforce';
import type { FaultKind } from '@millrace/simulator-salesforce';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  FAILED,
  LEVELS,
  account,
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
import { DOCUMENT, SUCCEEDED, files, shown, strayFiles, values } from '../test/inside.ts';
import { AT_ONCE, type World, startOrg } from '../test/org.ts';
import type { SalesforceStore } from './index.ts';

/** Which calls write at this level. */
const PATHS = {
  claim: { apex: 'v1/claim$', objects: 'composite/graph$' },
  settle: { apex: 'composite/graph$', objects: 'composite/graph$' },
  complete: { apex: 'v1/complete$', objects: 'composite/graph$' },
  renew: { apex: 'v1/renew$', objects: 'composite/graph$' },
  cancel: { apex: 'v1/cancel$', objects: 'composite/graph$' },
  enqueue: { apex: 'composite/graph$', objects: 'composite/graph$' },
} as const;

describe.each(LEVELS)('an answer that is lost, with $level', ({ apex }) => {
  let world: World;
  let store: SalesforceStore;
  let reported: (call: CallReport) => void;

  beforeEach(async () => {
    world = await startOrg({ apex });
    reported = () => {};
    store = world.open({}, { ...AT_ONCE, onCall: (call) => reported(call) });
    await store.level();
  });
  afterEach(() => world.close());

  function strike(kind: FaultKind, verb: keyof typeof PATHS, times = 1): void {
    world.org.faults.add({ kind, path: PATHS[verb][apex ? 'apex' : 'objects'], times });
  }

  /** After the next graph the org answers no query, until its faults are cleared. */
  function answersNoQuestions(): void {
    reported = ({ path }) => {
      if (path !== 'composite/graph') return;
      reported = () => {};
      world.org.faults.add({ kind: 'cut-before', path: 'query$' });
    };
  }

  it('of a claim: the same leases are given again, and to nobody else', async () => {
    const ids = [await waiting(world.org), await waiting(world.org)];
    const params = claimParams({ worker: 'worker-1' });
    strike('cut-after', 'claim');
    await expect(store.claim(params)).rejects.toThrow(StoreUnavailable);

    expect(await claim(world.open(), { worker: 'worker-2' })).toEqual([]);
    const { jobs } = await store.claim({ ...params, replay: true });
    expect(jobs.map(({ id }) => recordOf(id)).toSorted()).toEqual(ids.toSorted());
    expect(await settleAll(store, jobs)).toEqual(['settled', 'settled']);
    for (const id of ids) expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('of a claim that never arrived: nothing is leased', async () => {
    const id = await waiting(world.org);
    const params = claimParams();
    strike('cut-before', 'claim');
    await expect(store.claim(params)).rejects.toThrow(StoreUnavailable);
    expect((await store.claim({ ...params, replay: true })).jobs).toEqual([]);
    expect(shown(world.org, id)).toEqual({ Status: 'QUEUED', Attempts: 0 });
    expect(await claim(store)).toHaveLength(1);
  });

  it('of settling: the record says that it was done, and nothing is uploaded again', async () => {
    const parent = await account(world.org);
    const { id, job } = await running(world, store);
    const graphs = (): number => world.org.calls.byResource['graph'] ?? 0;
    const before = graphs();
    strike('cut-after', 'settle');
    expect(await settle(store, job, made([parent]))).toBe('settled');
    expect(graphs() - before).toBe(1);
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toEqual([{ name: 'invoice.pdf', parents: [parent] }]);
  });

  it('of settling, and the question after it too: the second time it is “already”', async () => {
    const parent = await account(world.org);
    const { id, job } = await running(world, store);
    strike('cut-after', 'settle');
    answersNoQuestions();
    await expect(settle(store, job, made([parent]))).rejects.toThrow(StoreUnavailable);
    world.org.faults.clear();

    expect(await settle(store, job, made([parent]))).toBe('already');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toEqual([{ name: 'invoice.pdf', parents: [parent] }]);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('of settling that never arrived: nothing is there until it is sent again', async () => {
    const { id, job } = await running(world, store);
    strike('cut-before', 'settle');
    await expect(settle(store, job)).rejects.toThrow(StoreUnavailable);
    expect(shown(world.org, id)).toMatchObject({ Status: 'PROCESSING' });
    expect(files(world.org)).toEqual([]);

    expect(await settle(store, job)).toBe('settled');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(1);
  });

  it('of settling 46 at once: none is taken for failed, though 46 refusals halt the call that asks again', async () => {
    for (let n = 0; n < 46; n += 1) await waiting(world.org);
    const jobs = await claim(store);
    strike('cut-after', 'settle');
    answersNoQuestions();
    await expect(settleAll(store, jobs)).rejects.toThrow(StoreUnavailable);
    world.org.faults.clear();

    expect(await settleAll(store, jobs)).toEqual(jobs.map(() => 'already'));
    for (const { id } of jobs) expect(shown(world.org, recordOf(id))).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(46);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('of one of two calls: the documents of the other have their answers', async () => {
    for (let n = 0; n < 80; n += 1) await waiting(world.org);
    const jobs = await claim(store);
    strike('cut-before', 'settle');
    const answers = await settleAll(store, jobs);
    const unknown = { unknown: expect.any(StoreUnavailable) };
    const lost = answers.filter((answer) => answer !== 'settled');
    expect([75, 5]).toContain(lost.length);
    expect(lost).toEqual(lost.map(() => unknown));

    const left = jobs.filter((_, index) => answers[index] !== 'settled');
    expect(await settleAll(store, left)).toEqual(left.map(() => 'settled'));
    expect(files(world.org)).toHaveLength(80);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('of settling, where the worker has changed its mind meanwhile: the first word stands', async () => {
    const { id, job } = await running(world, store);
    strike('cut-after', 'settle');
    expect(await settle(store, job)).toBe('settled');
    expect(await settle(store, job, FAILED)).toBe('already');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
  });

  it('of an outcome without files', async () => {
    const { id, job } = await running(world, store);
    strike('cut-after', 'complete');
    const answer = await untilAnswered(() => settle(store, job, FAILED));
    expect(answer).toBe(apex ? 'already' : 'settled');
    expect(shown(world.org, id)).toEqual({
      Status: 'FAILED',
      Attempts: 1,
      ErrorCode: 'conversion_failed',
    });
  });

  it('of a put-back, when another worker has the record by the time it is asked again', async () => {
    const { id, job } = await running(world, store);
    strike('cut-after', 'complete', 4);
    if (!apex) answersNoQuestions();
    await expect(settle(store, job, { move: 'handBack' })).rejects.toThrow(StoreUnavailable);
    world.org.faults.clear();
    const other = world.open();
    const [again] = await claim(other, { worker: 'worker-2' });

    expect(await settle(store, job, { move: 'handBack' })).toBe('already');
    expect(shown(world.org, id)).toMatchObject({
      Status: 'PROCESSING',
      LeaseToken: `${id}:${again?.epoch}`,
    });
  });

  it('of a renewal: the lease lives on', async () => {
    const { id, job } = await running(world, store);
    await world.advance(300_000);
    strike('cut-after', 'renew');
    expect(await store.renew({ leases: [job], leaseMs: 600_000 })).toEqual(['renewed']);
    await world.advance(400_000);
    expect(await claim(world.open(), { worker: 'worker-2' })).toEqual([]);
    expect(await settle(store, job)).toBe('settled');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
  });

  it('of a cancellation: it stays canceled, and asking again does no harm', async () => {
    const id = await waiting(world.org);
    const select = { ids: [`salesforce-${id}`] };
    strike('cut-after', 'cancel');
    await expect(store.cancel({ select })).rejects.toThrow(StoreUnavailable);
    await store.cancel({ select });
    expect(shown(world.org, id)).toEqual({ Status: 'CANCELED', Attempts: 0 });
    expect(await claim(store)).toEqual([]);
  });

  it('of an enqueue with a key: one record, however often it is asked for', async () => {
    const job = {
      kind: 'document',
      payload: '{}',
      maxAttempts: 4,
      tenant: '',
      priority: null,
      key: { value: 'order-7', windowMs: 60_000 },
    };
    strike('cut-after', 'enqueue');
    await expect(store.enqueue({ jobs: [job] })).rejects.toThrow(StoreUnavailable);
    const [again] = await store.enqueue({ jobs: [job] });
    const ids = values(world.org, DOCUMENT, 'Id');
    expect(ids.map((id) => `salesforce-${id}`)).toEqual([again?.id]);
    expect(again?.created).toBe(false);
  });

  it('when the org is away for a moment: the next time it goes through, once', async () => {
    const { id, job } = await running(world, store);
    strike('unavailable', 'settle', 2);
    expect(await untilAnswered(() => settle(store, job))).toBe('settled');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(1);
    expect(strayFiles(world.org)).toEqual([]);
  });
});
