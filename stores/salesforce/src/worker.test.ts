import { JobFailure, type Outcome, done } from '@millrace/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEVELS, account, pdf, waiting } from '../test/documents.ts';
import { DOCUMENT, files, shown, strayFiles, values } from '../test/inside.ts';
import { AT_ONCE, type World, startOrg } from '../test/org.ts';
import { type Run, allOver, documentKind, openReplica } from '../test/worker.ts';
import { filesEffect } from './index.ts';

describe.each(LEVELS)('a worker and its records, with $level', ({ apex }) => {
  let world: World;

  beforeEach(async () => {
    world = await startOrg({ apex, storageBytes: 1_000_000 });
  });
  afterEach(() => world.close());

  /** Until nothing waits and nothing runs. Between two tries, the org's clock is put forward. */
  async function workOff(run: Run): Promise<void> {
    const { worker, events } = openReplica(world, documentKind(run), { parts: AT_ONCE });
    events.on('job.retrying', () => world.org.advance(2_000));
    worker.start();
    await allOver(world.org);
    await worker.stop();
  }

  const large = (): Promise<Outcome> =>
    Promise.resolve(
      done(null, {
        effects: [filesEffect([{ ...pdf(), bytes: Buffer.alloc(1_000_001) }], { parents: [] })],
      }),
    );
  const small = (parents: readonly string[] = []): Promise<Outcome> =>
    Promise.resolve(done({ pages: 1 }, { effects: [filesEffect([pdf()], { parents })] }));

  it('storage that stays full: FAILED after as many tries as the policy has, without a file', async () => {
    const id = await waiting(world.org);
    let runs = 0;
    await workOff(() => {
      runs += 1;
      return large();
    });
    expect(runs).toBe(4);
    expect(shown(world.org, id)).toEqual({
      Status: 'FAILED',
      Attempts: 4,
      ErrorCode: 'storage_full',
    });
    expect(values(world.org, DOCUMENT, 'Error__c').join()).toContain('STORAGE_LIMIT_EXCEEDED');
    expect(files(world.org)).toEqual([]);
  });

  it('storage in which someone makes room: made at the second try', async () => {
    const id = await waiting(world.org);
    await workOff(({ attempt }) => (attempt === 1 ? large() : small()));
    expect(shown(world.org, id)).toEqual({ Status: 'SUCCEEDED', Attempts: 1 });
    expect(files(world.org)).toHaveLength(1);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('a parent that was deleted: FAILED at once, and its neighbours are made', async () => {
    const parents = [await account(world.org), await account(world.org)];
    const [there = '', gone = ''] = parents;
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1)
      ids.push(await waiting(world.org, { RequestJSON__c: JSON.stringify({ n }) }));
    await world.org.org.remove(gone);
    await workOff(({ data: { n } }) => small(n === 2 ? parents : [there]));
    for (const [n, id] of ids.entries())
      expect(shown(world.org, id)).toEqual(
        n === 2
          ? { Status: 'FAILED', Attempts: 1, ErrorCode: 'upload_failed' }
          : { Status: 'SUCCEEDED', Attempts: 0 },
      );
    expect(files(world.org)).toHaveLength(3);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('a result that is too long: FAILED and says so, without a file; its neighbours are made', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1)
      ids.push(await waiting(world.org, { RequestJSON__c: JSON.stringify({ n }) }));
    await workOff(async ({ data: { n } }) =>
      n === 1
        ? done('x'.repeat(200_000), { effects: [filesEffect([pdf()], { parents: [] })] })
        : small(),
    );
    for (const [n, id] of ids.entries())
      expect(shown(world.org, id)).toEqual(
        n === 1
          ? { Status: 'FAILED', Attempts: 1, ErrorCode: 'result_unstorable' }
          : { Status: 'SUCCEEDED', Attempts: 0 },
      );
    expect(files(world.org)).toHaveLength(3);
    expect(strayFiles(world.org)).toEqual([]);
  });

  it('a handler that fails: by its own word, or by the policy’s', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 2; n += 1)
      ids.push(await waiting(world.org, { RequestJSON__c: JSON.stringify({ n }) }));
    await workOff(({ data: { n } }) => {
      throw new JobFailure('conversion_failed', 'It cannot be read.', { retryable: n === 1 });
    });
    expect(ids.map((id) => shown(world.org, id))).toEqual([
      { Status: 'FAILED', Attempts: 1, ErrorCode: 'conversion_failed' },
      { Status: 'FAILED', Attempts: 4, ErrorCode: 'conversion_failed' },
    ]);
    expect(files(world.org)).toEqual([]);
  });

  it('data that its kind does not take: FAILED at once', async () => {
    const id = await waiting(world.org, { RequestJSON__c: '{"n":"one"}' });
    await workOff(() => small());
    expect(shown(world.org, id)).toMatchObject({ Status: 'FAILED', ErrorCode: 'validation_error' });
  });

  it.each(['not JSON', '{"n":1', ''])(
    'a request that is %j: FAILED, and not for ever',
    async (json) => {
      const id = await waiting(world.org, { RequestJSON__c: json });
      await workOff(() => small());
      expect(shown(world.org, id)).toMatchObject({ Status: 'FAILED' });
      expect(files(world.org)).toEqual([]);
    },
  );
});
