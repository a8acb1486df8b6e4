import type { QueryRunRecord } from '../runs/query-run.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../../stores/postgres/test/stores.ts';
import { type World, openWorld } from '../../test/world.ts';

const SQL = 'SELECT SubscriberKey FROM _Open';

describe.each(DATABASES)('upkeep on %s', (which) => {
  let database: TestDatabase;
  let world: World;
  beforeAll(async () => {
    database = await openTestDatabase(which);
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    world = await openWorld(database);
  });
  afterEach(() => world.close());

  const submit = (changes: object = {}) =>
    world.queries.runs.submit({ sqlText: SQL, tenant: '', submitter: 'ada', ...changes });
  async function get(id: string): Promise<QueryRunRecord> {
    const run = await world.queries.runs.find(id);
    if (run === null) throw new Error('gone');
    return run;
  }
  const left = () => [world.cloud.queries.size, world.cloud.targets.size];

  describe('cancel', () => {
    test('before it was started: nothing is made', async () => {
      const { id } = await submit();
      expect(await world.queries.runs.cancel(id)).toMatchObject({ state: 'CANCELED' });
      await world.finish();
      expect([world.cloud.calls, left()]).toEqual([[], [0, 0]]);
    });

    test('while it is started, after any step: what was made goes', async () => {
      for (const operation of [
        'validate',
        'createDataExtension',
        'createQuery',
        'startQuery',
      ] as const) {
        const { id } = await submit();
        world.cloud.hook = async (seen, when) => {
          if (seen === operation && when === 'after') {
            world.cloud.hook = () => {};
            await world.queries.runs.cancel(id);
          }
        };
        await world.finish();
        expect([operation, (await get(id)).state, left()]).toEqual([operation, 'CANCELED', [0, 0]]);
      }
    });

    test('while it runs: the next poll asks nothing, cleans up and ends', async () => {
      const { id } = await submit();
      await world.step();
      await world.step();
      await world.queries.runs.cancel(id);
      world.cloud.calls.length = 0;
      await world.step();
      expect(world.cloud.calls).toEqual(['deleteQuery', 'deleteDataExtension']);
      expect(await world.step()).toBe(false);
      expect(await get(id)).toMatchObject({ state: 'CANCELED', rowCount: null });
      expect(left()).toEqual([0, 0]);
    });

    test('in the middle of a poll: the poll does not bring it back', async () => {
      const { id } = await submit();
      await world.step();
      await world.pass(60_000);
      world.cloud.hook = async (operation, when) => {
        if (operation === 'rows' && when === 'after') {
          world.cloud.hook = () => {};
          await world.queries.runs.cancel(id);
        }
      };
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'CANCELED', rowCount: null, error: null });
      expect(left()).toEqual([0, 0]);
    });

    test('after its end: refused, and it stays as it was', async () => {
      const { id } = await submit();
      await world.finish();
      await expect(world.queries.runs.cancel(id)).rejects.toMatchObject({ code: 'run_finished' });
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED' });
    });
  });

  describe('the reconciler', () => {
    test('gives a run its poll job back, once, however many reconcile', async () => {
      const { id } = await submit();
      await world.step();
      world.jobs.splice(1);
      await world.pass(60_000);
      const rounds = await Promise.all([
        world.queries.reconcile.runOnce(),
        world.queries.reconcile.runOnce(),
      ]);
      expect(rounds.map(({ restored }) => restored).toSorted((a, b) => a - b)).toEqual([0, 1]);
      expect(world.jobs.filter(({ key }) => key === `poll-${id}`)).toHaveLength(1);
      expect(world.told).toContain('shell_query_reconciler_reenqueues_total poll-shell-query');
      expect(world.queries.reconcile.live()).toEqual({ QUEUED: 0, PROCESSING: 1 });
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED' });
    });

    test('leaves runs alone whose job lives, and those that are young', async () => {
      await submit();
      await world.step();
      expect(await world.queries.reconcile.runOnce()).toMatchObject({ checked: 0 });
      await world.pass(60_000);
      expect(await world.queries.reconcile.runOnce()).toMatchObject({ checked: 1, restored: 0 });
      expect(world.jobs).toHaveLength(2);
    });

    test('starts a run whose job was never made', async () => {
      const { id } = await submit();
      world.jobs.length = 0;
      await world.pass(60_000);
      expect(await world.queries.reconcile.runOnce()).toMatchObject({ restored: 1 });
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED' });
    });

    test('ends a run whose job failed or was canceled', async () => {
      const [failed, canceled] = [await submit(), await submit()];
      Object.assign(world.jobs[0] ?? {}, {
        state: 'FAILED',
        error: { code: 'timeout', message: 'Too long.', retryable: true },
      });
      Object.assign(world.jobs[1] ?? {}, { state: 'CANCELED' });
      await world.pass(60_000);
      expect(await world.queries.reconcile.runOnce()).toMatchObject({ ended: 2, restored: 0 });
      expect((await get(failed.id)).error).toEqual({
        code: 'run_lost',
        message: 'The job that starts the query failed. Too long.',
      });
      expect(await get(canceled.id)).toMatchObject({ state: 'CANCELED' });
    });
  });

  describe('the sweeper', () => {
    test('deletes what could not be deleted at the end of the run', async () => {
      let isAway = true;
      world.cloud.hook = (operation, when) => {
        if (isAway && operation === 'deleteQuery' && when === 'before')
          throw new Error('unexpected');
      };
      const { id } = await submit();
      for (let steps = 0; steps < 40; steps += 1) await world.step();
      expect(left()).toEqual([1, 1]);
      isAway = false;
      await world.pass(180_000);
      expect(await world.queries.sweep.runOnce()).toMatchObject({ cleaned: 1 });
      expect(left()).toEqual([0, 1]);
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED' });
    });

    test('deletes the rows when they expire, and the run in the end', async () => {
      const { id } = await submit();
      await world.finish();
      await world.pass(86_000_000);
      expect(await world.queries.sweep.runOnce()).toMatchObject({ cleaned: 0 });
      await world.pass(1_000_000);
      expect(await world.queries.sweep.runOnce()).toMatchObject({ cleaned: 1 });
      expect(left()).toEqual([0, 0]);
      await world.pass(30 * 86_400_000);
      expect(await world.queries.sweep.runOnce()).toMatchObject({ cleaned: 0, pruned: 1 });
      expect(await world.queries.runs.find(id)).toBeNull();
    });

    test('lists every hour, however often the process is started again', async () => {
      const sweep = async () => (await world.reopen()).sweep.runOnce();
      const lists = () => world.cloud.calls.filter((each) => each === 'dataExtensions').length;
      await database.script(
        'UPDATE millrace.shell_query_installation SET listed_at = millrace.clock()',
      );
      for (let minutes = 0; minutes < 50; minutes += 10) {
        await sweep();
        await world.pass(10 * 60_000);
      }
      expect(lists()).toBe(0);
      await world.pass(10 * 60_000);
      await Promise.all([sweep(), sweep()]);
      const once = world.mids.length;
      expect(lists()).toBe(once);
      await world.pass(59 * 60_000);
      await sweep();
      expect(lists()).toBe(once);
      await world.pass(60_000);
      await sweep();
      expect(lists()).toBe(2 * once);
    });

    test('finds what no run knows of, and never touches what is not ours', async () => {
      const { id } = await submit();
      await world.step();
      const { targetDeName } = await get(id);
      const prefix = targetDeName?.replace(/\d+-[0-9a-f]{6}$/, '') ?? '';
      const strays = [`${prefix}999`, `${prefix}1t`, `${prefix}1-0a1b2c`, `${prefix}1-0a1b2ct`];
      const foreign = ['millrace-other123-1', `${prefix}abc`, prefix, 'Customers', 'millrace'];
      for (const key of [...strays, ...foreign]) {
        world.cloud.targets.set(key, { name: key, fields: [] });
        world.cloud.queries.set(key, {
          objectId: `q-${key}`,
          target: key,
          sql: '',
          startedAt: null,
        });
      }
      await world.queries.sweep.strays();
      expect([...world.cloud.targets.keys()]).toEqual([targetDeName, ...foreign]);
      expect([...world.cloud.queries.keys()]).toEqual([targetDeName, ...foreign]);
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED', rowCount: 5 });
      await world.queries.sweep.strays();
      // Its rows have not expired.
      expect(world.cloud.targets.has(targetDeName ?? '')).toBe(true);
      for (const key of world.cloud.targets.keys()) expect(key.length).toBeLessThanOrEqual(36);
    });
  });

  test('a run of the older shape is found by its key, and its id kept', async () => {
    const { id } = await submit();
    await world.step();
    await database.script('UPDATE millrace.shell_query_runs SET query_definition_id = NULL');
    await world.step();
    const run = await get(id);
    expect(run.queryDefinitionId).toBe(`q-${run.queryCustomerKey}`);
    await world.finish();
    expect(await get(id)).toMatchObject({ state: 'SUCCEEDED' });
    expect(world.cloud.queries.size).toBe(0);
  });

  test('what is kept about someone is erased: their runs, and those that name them', async () => {
    const own = await submit();
    await world.finish();
    const live = await submit({
      submitter: 'bob',
      sqlText: "SELECT SubscriberKey FROM _Open WHERE SubscriberKey = 'ADA'",
    });
    const other = await submit({ submitter: 'bob' });
    expect(await world.queries.erase('ada')).toEqual({ runs: 2, snippets: 0 });
    expect(await get(own.id)).toMatchObject({ sqlText: '', submitter: null, state: 'SUCCEEDED' });
    expect(await get(live.id)).toMatchObject({ sqlText: '', submitter: 'bob', state: 'CANCELED' });
    expect(await get(other.id)).toMatchObject({ sqlText: SQL, submitter: 'bob', state: 'QUEUED' });
    await world.finish();
    await world.pass(180_000);
    await world.queries.sweep.runOnce();
    expect(world.cloud.targets.size).toBe(1);
    expect(await world.queries.erase('ada')).toEqual({ runs: 0, snippets: 0 });
  });
});
