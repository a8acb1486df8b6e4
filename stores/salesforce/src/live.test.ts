import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  FAILED,
  LEASE_MS,
  LEVELS,
  byHand,
  claim,
  claimParams,
  made,
  recordOf,
  running,
  settle,
  waiting,
} from '../test/documents.ts';
import { AT_ONCE, type World, startOrg } from '../test/org.ts';
import { type SalesforceStore, createSalesforceStore } from './index.ts';

const HALF_AN_HOUR = 1_800_000;

describe.each(LEVELS)('records that are live, with $level', ({ apex }) => {
  let world: World;
  let store: SalesforceStore;

  beforeEach(async () => {
    world = await startOrg({ apex });
    store = world.open({}, AT_ONCE);
  });
  afterEach(() => world.close());

  const liveOf = (id: string): unknown => world.org.org.record(id)?.['Live__c'];

  it('say so while they wait or run, and no longer', async () => {
    const { id, job } = await running(world, store);
    expect(liveOf(id)).toBe('LIVE');
    await settle(store, job, {
      move: 'retry',
      error: { code: 'unknown', message: '', retryable: true },
      stack: null,
      delayMs: 0,
    });
    expect(liveOf(id)).toBe('LIVE');
    const [again] = await claim(store);
    if (again !== undefined) await settle(store, again, FAILED);
    expect(liveOf(id)).toBeNull();
    await store.retry({ select: { ids: [job.id] } });
    expect(liveOf(id)).toBe('LIVE');
    await store.cancel({ select: { ids: [job.id] } });
    expect(liveOf(id)).toBeNull();
  });

  it('of before the field are taken up by the next process', async () => {
    const id = await waiting(world.org, { Live__c: null });
    expect((await claim(store)).map((job) => recordOf(job.id))).toEqual([id]);
    expect(liveOf(id)).toBe('LIVE');
  });

  it('are found though no index has them yet: a worker lost before the field is taken over', async () => {
    const { id } = await running(world, store);
    await byHand(world, id, { Live__c: null });
    await world.advance(LEASE_MS + 2_000);
    const { takenOver } = await world.open().claim(claimParams());
    expect(takenOver).toBe(1);
  });

  it('when someone puts a record back by hand, it is found within minutes', async () => {
    const { id, job } = await running(world, store);
    await settle(store, job, FAILED);
    await world.advance(HALF_AN_HOUR);
    await claim(store);
    await byHand(world, id, { Status__c: 'QUEUED' });
    await world.advance(301_000);
    expect((await claim(store)).map((each) => recordOf(each.id))).toEqual([id]);
  });

  it('every query for work filters by what has an index', async () => {
    const asked: string[] = [];
    const connection = world.connect(AT_ONCE);
    const spy = createSalesforceStore({
      salesforce: {
        ...connection,
        composite(parts, options) {
          asked.push(...parts.map(({ url }) => decodeURIComponent(url)));
          return connection.composite(parts, options);
        },
      },
      defaultKind: 'document',
    });
    await waiting(world.org);
    const { jobs } = await spy.claim(claimParams());
    expect(jobs).toHaveLength(1);
    if (jobs[0] !== undefined) expect(await settle(spy, jobs[0], made())).toBe('settled');
    expect(asked).toHaveLength(apex ? 0 : 4);
    for (const query of asked) expect(query).toContain("Live__c = 'LIVE'");
  });
});
