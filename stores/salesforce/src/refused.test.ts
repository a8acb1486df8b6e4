import { type ClaimedJob, type Refused, StoreUnavailable } from '@millrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  LEVELS,
  account,
  claim,
  docx,
  made,
  pdf,
  recordOf,
  running,
  settle,
  settleAll,
  waiting,
} from '../test/documents.ts';
import { SUCCEEDED, files, shown, strayFiles, values } from '../test/inside.ts';
import { AT_ONCE, type World, startOrg } from '../test/org.ts';
import type { SalesforceStore } from './index.ts';

describe.each(LEVELS)('what the org refuses, with $level', ({ apex }) => {
  let world: World;
  let store: SalesforceStore;

  beforeEach(async () => {
    world = await startOrg({ apex, storageBytes: 100_000 });
    store = world.open({}, AT_ONCE);
    await store.level();
  });
  afterEach(() => world.close());

  async function runningMany(count: number): Promise<ClaimedJob[]> {
    for (let n = 0; n < count; n += 1) await waiting(world.org);
    return claim(store);
  }

  it('a session that ends in the middle of a batch: every document is there once', async () => {
    const parent = await account(world.org);
    for (let n = 0; n < 20; n += 1) await waiting(world.org);
    const jobs = await claim(store);
    world.org.expireSessions();
    const before = await settleAll(store, jobs.slice(0, 10), () => made([parent]));
    const fault = world.org.faults.add({ kind: 'session-expired', path: 'graph$', times: 1 });
    const after = await settleAll(store, jobs.slice(10), () => made([parent]));

    expect(world.org.faults.list()).not.toContainEqual(fault);
    expect([...before, ...after]).toEqual(jobs.map(() => 'settled'));
    for (const { id } of jobs) expect(shown(world.org, recordOf(id))).toEqual(SUCCEEDED);
    expect(files(world.org)).toEqual(jobs.map(() => ({ name: 'invoice.pdf', parents: [parent] })));
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('a record that someone holds for a while: it is waited for, and made once', async () => {
    const { id, job } = await running(world, store);
    world.org.faults.add({ kind: 'lock', record: id, times: 2 });
    expect(await settle(store, job)).toBe('settled');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(1);
  });

  it('a record that someone holds for long: no file is left lying, and its neighbours are made', async () => {
    const [id, neighbour] = [await waiting(world.org), await waiting(world.org)];
    const jobs = await claim(store);
    const { id: fault } = world.org.faults.add({ kind: 'lock', record: id });
    expect(await settleAll(store, jobs)).toEqual([
      { unknown: expect.any(StoreUnavailable) },
      'settled',
    ]);
    expect(shown(world.org, id)).toMatchObject({ Status: 'PROCESSING' });
    expect(shown(world.org, neighbour)).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(1);
    expect(strayFiles(world.org)).toEqual([]);

    world.org.faults.remove(fault);
    expect(await settleAll(store, jobs)).toEqual(['settled', 'already']);
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toHaveLength(2);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('a claim while someone holds one of the records: no error, and none is given twice', async () => {
    const held = await waiting(world.org);
    for (let n = 0; n < 3; n += 1) await waiting(world.org);
    world.org.faults.add({ kind: 'lock', record: held });
    const jobs = await claim(store);
    // One query locks all candidates of Apex, or none of them.
    expect(jobs).toHaveLength(apex ? 0 : 3);
    world.org.faults.clear();
    const rest = await claim(store);
    const ids = [...jobs, ...rest].map(({ id }) => id);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
  });

  it('a cancellation while someone holds the record is reported, and can be asked for again', async () => {
    const id = await waiting(world.org);
    const select = { ids: [`salesforce-${id}`] };
    world.org.faults.add({ kind: 'lock', record: id });
    await expect(store.cancel({ select })).rejects.toThrow(StoreUnavailable);
    expect(shown(world.org, id)).toEqual({ Status: 'QUEUED', Attempts: 0 });
    world.org.faults.clear();
    expect((await store.cancel({ select })).canceled).toEqual(select.ids);
    expect(shown(world.org, id)).toEqual({ Status: 'CANCELED', Attempts: 0 });
  });

  it('storage that is full: nothing is uploaded, the lease holds, and it can be tried again', async () => {
    const { id, job } = await running(world, store);
    const large = { ...pdf(), bytes: Buffer.alloc(100_001) };
    const answer = await settle(store, job, made([], [large]));
    expect(answer).toMatchObject({ refused: { code: 'storage_full', retryable: true } });
    expect(shown(world.org, id)).toMatchObject({ Status: 'PROCESSING' });
    expect(files(world.org)).toEqual([]);

    const { refused: error } = answer as Refused;
    expect(await settle(store, job, { move: 'retry', error, stack: null, delayMs: 60_000 })).toBe(
      'settled',
    );
    expect(shown(world.org, id)).toEqual({
      Status: 'QUEUED',
      Attempts: 1,
      ErrorCode: 'storage_full',
    });
    expect(await claim(store)).toEqual([]);
    await world.advance(62_000);
    const [again] = await claim(store);
    expect(again?.attempt).toBe(2);
    if (again !== undefined) expect(await settle(store, again)).toBe('settled');
    expect(shown(world.org, id)).toEqual({ Status: 'SUCCEEDED', Attempts: 1 });
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('storage that is full for 46 documents: each can be tried again, and none has failed', async () => {
    const jobs = await runningMany(46);
    world.org.faults.add({ kind: 'storage', object: 'ContentVersion' });
    const answers = await settleAll(store, jobs);
    const full = { refused: expect.objectContaining({ code: 'storage_full', retryable: true }) };
    expect(answers).toEqual(jobs.map(() => full));
    world.org.faults.clear();
    expect(await settleAll(store, jobs)).toEqual(jobs.map(() => 'settled'));
    expect(files(world.org)).toHaveLength(46);
  });

  it.each([
    ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', 'System.LimitException: Apex CPU time limit exceeded'],
    ['REQUEST_RUNNING_TOO_LONG', 'Your request was running for too long.'],
  ])(
    '%s, too much for one transaction: tried again by the job’s own policy',
    async (code, text) => {
      const { id, job } = await running(world, store);
      world.org.faults.add({ kind: 'refused', object: 'ContentVersion', code, message: text });
      expect(await settle(store, job)).toEqual({
        refused: {
          code: 'upload_failed',
          message: expect.stringContaining(text),
          retryable: true,
        },
      });
      expect(shown(world.org, id)).toMatchObject({ Status: 'PROCESSING' });
    },
  );

  it.each([
    ['CANNOT_EXECUTE_FLOW_TRIGGER', 'The flow failed: UNABLE_TO_LOCK_ROW: unable to obtain'],
    [
      'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY',
      'System.LimitException: ConcurrentPerOrgLongTxn Limit',
    ],
    ['INSERT_UPDATE_DELETE_NOT_ALLOWED_DURING_MAINTENANCE', 'Read only'],
    ['API_CURRENTLY_DISABLED', 'API is temporarily disabled'],
    ['TOO_MANY_APEX_REQUESTS', 'Too many Apex requests'],
  ])('%s passes by itself: the outcome is written later', async (code, message) => {
    const { id, job } = await running(world, store);
    world.org.faults.add({ kind: 'refused', object: 'ContentVersion', code, message });
    await expect(settle(store, job)).rejects.toThrow(StoreUnavailable);
    world.org.faults.clear();
    expect(await settle(store, job)).toBe('settled');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
  });

  it('16 parents that were deleted: the 30 documents beside them are made', async () => {
    const [gone, there] = [await account(world.org), await account(world.org)];
    const jobs = await runningMany(46);
    await world.org.org.remove(gone);
    const answers = await settleAll(store, jobs, (job) =>
      made([jobs.indexOf(job) < 16 ? gone : there]),
    );
    const refused = { refused: expect.objectContaining({ code: 'upload_failed' }) };
    expect(answers).toEqual(jobs.map((_, n) => (n < 16 ? refused : 'settled')));
    expect(files(world.org)).toHaveLength(30);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('a second file that does not fit takes the first with it', async () => {
    const { id, job } = await running(world, store);
    const large = { ...docx(), bytes: Buffer.alloc(99_000) };
    expect(await settle(store, job, made([], [pdf(), large]))).toHaveProperty('refused');
    expect(files(world.org)).toEqual([]);
    expect(strayFiles(world.org)).toEqual([]);
    expect(shown(world.org, id)).toMatchObject({ Status: 'PROCESSING' });
  });

  it('a parent that was deleted: that document is refused for good, its neighbours are made', async () => {
    const [gone, there] = [await account(world.org), await account(world.org)];
    for (let n = 0; n < 3; n += 1) await waiting(world.org);
    const jobs = await claim(store);
    await world.org.org.remove(gone);
    const answers = await settleAll(store, jobs, (job) =>
      made(job === jobs[1] ? [there, gone] : [there]),
    );
    expect(answers).toEqual([
      'settled',
      { refused: expect.objectContaining({ code: 'upload_failed', retryable: false }) },
      'settled',
    ]);
    const [first = '', second = '', third = ''] = jobs.map(({ id }) => recordOf(id));
    expect(shown(world.org, first)).toEqual(SUCCEEDED);
    expect(shown(world.org, second)).toMatchObject({ Status: 'PROCESSING' });
    expect(shown(world.org, third)).toEqual(SUCCEEDED);
    expect(files(world.org)).toEqual([
      { name: 'invoice.pdf', parents: [there] },
      { name: 'invoice.pdf', parents: [there] },
    ]);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('a parent that is named twice, by 15 characters and by 18, is linked once', async () => {
    const parent = await account(world.org);
    const { id, job } = await running(world, store);
    expect(await settle(store, job, made([parent, parent.slice(0, 15), parent]))).toBe('settled');
    expect(shown(world.org, id)).toEqual(SUCCEEDED);
    expect(files(world.org)).toEqual([{ name: 'invoice.pdf', parents: [parent] }]);
  });

  it('a link that is there already: the document is refused, and no file is left', async () => {
    // Whoever uploads a file is linked to it: the service's own user as a parent makes a second link.
    const [user = ''] = values(world.org, 'User', 'Id');
    const { id, job } = await running(world, store);
    const answer = await settle(store, job, made([user]));
    expect(answer).toEqual({
      refused: {
        code: 'upload_failed',
        message: expect.stringContaining('DUPLICATE_VALUE'),
        retryable: false,
      },
    });
    expect(shown(world.org, id)).toMatchObject({ Status: 'PROCESSING' });
    expect(files(world.org)).toEqual([]);
  });

  it('a parent that is no id at all', async () => {
    const { job } = await running(world, store);
    expect(await settle(store, job, made(['not an id']))).toHaveProperty('refused');
    expect(files(world.org)).toEqual([]);
  });
});
