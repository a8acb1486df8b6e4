import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { USUAL, refusal } from '../test/cloud.ts';
import {
  DATABASES,
  type TestDatabase,
  openTestDatabase,
} from '../../../stores/postgres/test/stores.ts';
import { queriesWithin } from './within.ts';
import { type World, openWorld } from '../test/world.ts';

const SQL = 'SELECT SubscriberKey, EventDate FROM _Open';

describe.each(DATABASES)('runs on %s', (which) => {
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
  const get = (id: string) => world.queries.runs.get(id);
  const count = (operation: string) =>
    world.cloud.calls.filter((each) => each === operation).length;

  describe('a run', () => {
    test('goes from SQL to rows: execute starts it and ends, one poll job looks until it is over', async () => {
      const { id } = await submit();
      expect(await get(id)).toMatchObject({ state: 'QUEUED', mid: '100001', submitter: 'ada' });
      await world.step();
      const running = await get(id);
      expect(running).toMatchObject({ state: 'PROCESSING', taskId: 't-1' });
      expect(running.queryDefinitionId).toBe(`q-${running.queryCustomerKey}`);
      expect(running.columns).toEqual([
        { name: 'SubscriberKey', type: 'text' },
        { name: 'EventDate', type: 'date' },
      ]);
      expect(world.jobs.map(({ key, state }) => [key, state])).toEqual([
        [`execute-${id}`, 'SUCCEEDED'],
        [`poll-${id}`, 'QUEUED'],
      ]);
      const began = world.now();
      expect((world.jobs[1]?.dueAt ?? 0) - began).toBe(2_000);
      await world.finish();
      const ready = await get(id);
      expect(ready).toMatchObject({
        state: 'SUCCEEDED',
        rowCount: 5,
        mceStatus: 'Complete',
        error: null,
      });
      // After 2 s, then 2, 4, 8 and 16 s later: the fifth poll sees the end of a query of 23 s.
      expect(ready.pollCount).toBe(5);
      expect(world.now() - began).toBe(32_000);
      expect(ready.apiCalls).toBe(world.cloud.calls.length);
      expect(world.jobs).toHaveLength(2);
      expect((ready.resultsExpireAt ?? 0) - (ready.finishedAt ?? 0)).toBe(86_400_000);
      // The query definition is gone; its rows live until they expire.
      expect([world.cloud.queries.size, world.cloud.targets.size]).toEqual([0, 1]);
      expect(world.announced).toContain(`run ${id}`);
      expect(world.told).toContain('shell_query_runs_total ready none');
    });

    test('counts the pages of rows that somebody reads', async () => {
      const { id } = await submit();
      await world.finish();
      const before = (await get(id)).apiCalls;
      const scope = { tenants: [''], tenant: '', owner: null };
      const within = queriesWithin(world.queries, scope);
      const run = await within.runs.get(id);
      await within.rowsetOf(run).rows(run.targetDeName ?? '', { pageSize: 2 });
      expect((await get(id)).apiCalls - before).toBe(1);
      expect((await get(id)).apiCalls).toBe(world.cloud.calls.length);
    });

    test('without rows is ready with 0 rows, after four looks', async () => {
      world.cloud.behaviour = { ...USUAL, rows: 0 };
      const { id } = await submit();
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED', rowCount: 0, error: null });
      expect(
        world.told.filter((each) => each === 'shell_query_rowset_readiness_retries_total'),
      ).toHaveLength(2);
    });

    test('whose rows cannot be read fails, and says so', async () => {
      world.cloud.hook = (operation, when) => {
        if (operation === 'rows' && when === 'before') throw refusal('notFound');
      };
      const { id } = await submit();
      await world.finish();
      expect(await get(id)).toMatchObject({
        state: 'FAILED',
        error: { code: 'rowset_unavailable' },
      });
      expect([world.cloud.queries.size, world.cloud.targets.size]).toEqual([0, 0]);
    });

    test('is ready as soon as a probe sees rows, while SOAP still says Queued', async () => {
      world.cloud.behaviour = {
        ...USUAL,
        runMs: 4_000,
        status: (_, usual) => ({ ...usual, status: 'Queued', completedDate: 'early' }),
      };
      const { id } = await submit();
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED', rowCount: 5, mceStatus: 'Queued' });
      expect(count('isRunning')).toBe(1);
      expect(world.told).toContain('shell_query_fast_path_completions_total');
    });

    test('is not ready with the rows of a query that still writes them', async () => {
      let elapsedAtEnd = 0;
      world.cloud.behaviour = {
        ...USUAL,
        runMs: 4_000,
        status: (_, usual) => ({ ...usual, status: 'Processing', completedDate: null }),
        isRunning: (elapsed) => {
          elapsedAtEnd = elapsed;
          return elapsed < 60_000;
        },
      };
      const { id } = await submit();
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED', rowCount: 5 });
      expect(elapsedAtEnd).toBeGreaterThanOrEqual(60_000);
    });

    test('that Marketing Cloud cancelled has failed, and is no result of 0 rows', async () => {
      world.cloud.behaviour = {
        ...USUAL,
        rows: 0,
        status: (_, usual) => ({ ...usual, status: 'Canceled', completedDate: null }),
      };
      const { id } = await submit();
      await world.finish();
      expect(await get(id)).toMatchObject({
        state: 'FAILED',
        error: { code: 'query_failed', message: 'Marketing Cloud ended the query: Canceled' },
      });
      expect(world.cloud.starts).toHaveLength(1);
    });

    test('that ended while nobody could ask is ready, however late', async () => {
      const { id } = await submit();
      await world.step();
      await world.pass(2 * 3_600_000);
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED', rowCount: 5 });
    });

    test('takes nothing of a run that had its number before the database was set back', async () => {
      const lost = await submit();
      await world.finish();
      const { targetDeName } = await get(lost.id);
      await database.script(
        'DELETE FROM millrace.shell_query_runs; ALTER TABLE millrace.shell_query_runs ALTER COLUMN seq RESTART',
      );
      world.cloud.behaviour = { ...USUAL, rows: 0 };
      const { id } = await submit({ sqlText: 'SELECT JobID FROM _Job' });
      expect(id).toBe(lost.id);
      await world.finish();
      const run = await get(id);
      expect(run.targetDeName).not.toBe(targetDeName);
      expect(world.cloud.targets.get(run.targetDeName ?? '')?.fields).toMatchObject([
        { name: 'JobID' },
      ]);
      // What the lost run has left is nobody's.
      await world.queries.sweep.strays();
      expect([...world.cloud.targets.keys()]).toEqual([run.targetDeName]);
    });

    test.each(['unavailable', 'data'] as const)(
      'does without a check that Marketing Cloud cannot make (%s)',
      async (kind) => {
        world.cloud.hook = (operation, when) => {
          if (operation === 'validate' && when === 'before') throw refusal(kind, 'unknown');
        };
        const { id } = await submit();
        await world.step();
        expect(await get(id)).toMatchObject({ state: 'PROCESSING' });
        expect(count('validate')).toBe(1);
      },
    );

    test('that Marketing Cloud ends with a reason fails with it', async () => {
      world.cloud.behaviour = {
        ...USUAL,
        status: (_, usual) => ({ ...usual, status: 'Error', errorMsg: ' Division by zero. ' }),
      };
      const { id } = await submit();
      await world.finish();
      expect(await get(id)).toMatchObject({
        state: 'FAILED',
        error: { code: 'query_failed', message: 'Division by zero.' },
      });
      expect(world.cloud.starts).toHaveLength(1);
      expect([world.cloud.queries.size, world.cloud.targets.size]).toEqual([0, 0]);
    });

    test('that ends without a reason is tried once more, with every column as text', async () => {
      let tries = 0;
      world.cloud.behaviour = {
        ...USUAL,
        status: (_, usual) => (tries === 0 ? { ...usual, status: 'FatalError' } : usual),
      };
      const { id } = await submit();
      await world.step();
      const first = await get(id);
      await world.step();
      tries = 1;
      expect(await get(id)).toMatchObject({ state: 'QUEUED', columns: null, taskId: null });
      await world.finish();
      const ready = await get(id);
      expect(ready).toMatchObject({ state: 'SUCCEEDED', rowCount: 5 });
      expect(ready.columns?.map(({ type }) => type)).toEqual(['text', 'text']);
      expect(ready.targetDeName).toBe(`${first.targetDeName}t`);
      expect([...world.cloud.targets.keys()]).toEqual([ready.targetDeName]);
      expect(world.cloud.queries.size).toBe(0);
      expect(world.jobs.filter(({ key }) => key === `poll-${id}`)).toHaveLength(1);
    });

    test('and then fails, since nobody knows why', async () => {
      world.cloud.behaviour = {
        ...USUAL,
        status: (_, usual) => ({ ...usual, status: 'FatalError' }),
      };
      const { id } = await submit();
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'FAILED', error: { code: 'query_failed' } });
      expect(world.cloud.starts).toHaveLength(2);
      expect([world.cloud.queries.size, world.cloud.targets.size]).toEqual([0, 0]);
    });

    test('that never ends fails after 29 minutes', async () => {
      world.cloud.behaviour = { ...USUAL, runMs: 3_600_000 };
      const { id } = await submit();
      const began = world.now();
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'FAILED', error: { code: 'query_timeout' } });
      expect(world.now() - began).toBeGreaterThanOrEqual(29 * 60_000);
      expect(world.now() - began).toBeLessThan(30 * 60_000);
      expect(world.told).toContain('shell_query_timeouts_total');
    });
  });

  describe('where an answer is missing', () => {
    test('SOAP: it is a warning, counts against the budget, and the run goes on', async () => {
      let failures = 3;
      world.cloud.hook = (operation, when) => {
        if (operation !== 'taskStatuses' || when === 'after' || failures === 0) return;
        failures -= 1;
        throw refusal('unavailable', 'unknown');
      };
      const { id } = await submit();
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED', rowCount: 5, pollCount: 5 });
      expect(world.warnings).toContain('A poll got no answer');
    });

    test('SOAP for ever: REST confirms twice, 15 s apart, and the rows are read', async () => {
      world.cloud.behaviour = { ...USUAL, rows: 0 };
      world.cloud.hook = (operation, when) => {
        if (operation === 'taskStatuses' && when === 'before')
          throw refusal('unavailable', 'unknown');
      };
      const { id } = await submit();
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED', rowCount: 0 });
      expect(count('isRunning')).toBe(2);
    });

    test('REST: SOAP alone carries the run', async () => {
      world.cloud.behaviour = {
        ...USUAL,
        status: (_, usual) => ({ ...usual, completedDate: 'early' }),
      };
      world.cloud.hook = (operation, when) => {
        if (operation === 'isRunning' && when === 'before') throw refusal('unavailable', 'unknown');
      };
      const { id } = await submit();
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED', rowCount: 5 });
      expect(count('isRunning')).toBeGreaterThan(0);
    });

    test('429: nobody asks before Retry-After is over', async () => {
      let isFirst = true;
      world.cloud.hook = (operation, when) => {
        if (operation !== 'taskStatuses' || when === 'after' || !isFirst) return;
        isFirst = false;
        throw refusal('limit', 'refused', 60_000);
      };
      const { id } = await submit();
      await world.step();
      await world.step();
      expect((world.jobs[1]?.dueAt ?? 0) - world.now()).toBe(60_000);
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED' });
    });

    test('429 while it is started: the job is tried again, and nothing is made twice', async () => {
      let isFirst = true;
      world.cloud.hook = (operation, when) => {
        if (operation !== 'startQuery' || when === 'after' || !isFirst) return;
        isFirst = false;
        throw refusal('limit', 'refused', 5_000);
      };
      const { id } = await submit();
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED' });
      expect(world.cloud.starts).toHaveLength(1);
    });

    test('a run that cannot begin says why while it waits, and forgets it once it has begun', async () => {
      let refuses = true;
      world.cloud.hook = (_, when) => {
        if (refuses && when === 'before') throw refusal('session', 'notSent');
      };
      const { id } = await submit();
      expect(await get(id)).toMatchObject({ state: 'QUEUED', trouble: null });
      await world.step();
      const seen = await get(id);
      expect(seen).toMatchObject({ state: 'QUEUED', error: null });
      expect(seen?.trouble).toMatch(/\w/);
      refuses = false;
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED', trouble: null, error: null });
    });

    test('Marketing Cloud away for good: the run fails with the last attempt of its job', async () => {
      world.cloud.hook = (_, when) => {
        if (when === 'before') throw refusal('unavailable', 'notSent');
      };
      const { id } = await submit();
      await world.finish();
      expect(await get(id)).toMatchObject({
        state: 'FAILED',
        error: { code: 'marketing_cloud_unavailable' },
      });
      expect(world.jobs[0]).toMatchObject({ state: 'FAILED' });
    });

    test('of a start, and the query runs: it is carried on without its task', async () => {
      world.cloud.hook = (operation, when) => {
        if (operation === 'startQuery' && when === 'after') throw refusal('unavailable', 'unknown');
      };
      const { id } = await submit();
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'SUCCEEDED', rowCount: 5, taskId: null });
      expect(world.cloud.starts).toHaveLength(1);
    });

    test('of a start, and nothing is to be seen: it fails, and is never started again', async () => {
      world.cloud.hook = (operation, when) => {
        if (operation === 'startQuery' && when === 'before')
          throw refusal('unavailable', 'unknown');
      };
      const { id } = await submit();
      await world.finish();
      expect(await get(id)).toMatchObject({ state: 'FAILED', error: { code: 'start_unknown' } });
      expect(count('startQuery')).toBe(1);
      expect([world.cloud.queries.size, world.cloud.targets.size]).toEqual([0, 0]);
    });
  });

  describe('a worker that is killed', () => {
    const cases = (['before', 'after'] as const).flatMap((when) => [
      { when, way: 'of the usual way', tries: 1 },
      // The same code twice, so one database is enough.
      ...(which === 'pglite' ? [{ when, way: 'of a run with a second try', tries: 2 }] : []),
    ]);
    test.each(cases)(
      '$when any contact with the outside $way leaves a run that ends, starts nothing twice and leaks nothing',
      async ({ when, tries }) => {
        const { starts, targets, queries } = world.cloud;
        const isFirstTry = () => tries === 2 && starts.at(-1)?.endsWith('t') === false;
        world.cloud.behaviour = {
          ...USUAL,
          status: (_, usual) => (isFirstTry() ? { ...usual, status: 'FatalError' } : usual),
        };
        const ends: string[] = [];
        for (let point = 1; ; point += 1) {
          starts.length = 0;
          const { id } = await submit();
          world.killAt(point, when);
          await world.finish();
          if (world.contacts() < point) break;
          // What no job carries on any more is for the reconciler to find.
          await world.pass(60_000);
          await world.queries.reconcile.runOnce();
          await world.finish();
          const run = await get(id);
          ends.push(run.error?.code ?? run.state);
          const isOver = run.finishedAt !== null;
          expect([point, isOver, new Set(starts).size]).toEqual([point, true, starts.length]);
          await world.pass(180_000);
          await world.queries.sweep.runOnce();
          await world.queries.sweep.strays();
          expect([point, [...queries.keys()]]).toEqual([point, []]);
          expect([point, targets.size]).toEqual([point, run.state === 'SUCCEEDED' ? 1 : 0]);
          const left = world.jobs.filter(
            ({ key, state }) => key.includes(id) && state === 'QUEUED',
          );
          expect(left).toEqual([]);
          targets.clear();
        }
        // Killed with the right to start, before the start left: nobody can know, so it fails. Once in each try.
        expect(ends.length).toBeGreaterThan(20 * tries);
        expect(ends.filter((end) => end !== 'SUCCEEDED')).toEqual(
          Array.from({ length: tries }, () => 'start_unknown'),
        );
      },
      90_000,
    );
  });
});
