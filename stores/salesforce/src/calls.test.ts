import { done } from '@millrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEVELS, account, claim, made, pdf, settleAll, waiting } from '../test/documents.ts';
import { files, strayFiles } from '../test/inside.ts';
import { type World, startOrg } from '../test/org.ts';
import { allOver, documentKind, openReplica } from '../test/worker.ts';
import { filesEffect } from './index.ts';

const DOCUMENTS = 100;

describe.each(LEVELS)('calls that the org counts, with $level', ({ apex }) => {
  let world: World;
  let parent: string;

  beforeEach(async () => {
    world = await startOrg({ apex });
    parent = await account(world.org);
    for (let n = 0; n < DOCUMENTS; n += 1) await waiting(world.org);
  });
  afterEach(() => world.close());

  it('of 100 one-page documents, each costs half a call at the most', async () => {
    const run = async () =>
      done({ pages: 1 }, { effects: [filesEffect([pdf()], { parents: [parent] })] });
    const { worker } = openReplica(world, documentKind(run), {
      store: { gatherMs: 50 },
      pool: { batch: 50, least: 50, concurrency: 100, interval: { active: '5s', idle: '15s' } },
    });
    worker.start();
    await allOver(world.org);
    const calls = world.org.calls.total;
    await worker.stop();
    expect(calls / DOCUMENTS).toBeLessThanOrEqual(0.5);
    expect(files(world.org)).toHaveLength(DOCUMENTS);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('one claim and one settling of 100: a handful', async () => {
    const store = world.open();
    await store.level();
    const before = world.org.calls.total;
    const jobs = await claim(store);
    const claiming = world.org.calls.total - before;
    const answers = await settleAll(store, jobs, () => made([parent]));
    expect(answers).toEqual(jobs.map(() => 'settled'));
    // 75 graphs go into a call. Without Apex a look comes first, and a lease is a graph of its own; once an hour the
    // rows of old leases are looked for. The first claim of a process looks for records without Live__c.
    expect(claiming).toBe(apex ? 2 : 5);
    expect(world.org.calls.total - before - claiming).toBe(apex ? 2 : 3);
  });
});
