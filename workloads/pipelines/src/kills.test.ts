import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, openTestDatabase } from '../../../stores/postgres/test/stores.ts';
import { Killed, type World, openWorld } from '../test/world.ts';

/** Processes that end at any contact with the outside, between every two steps and within them. */

const DIAMOND = `
title: Diamond
steps:
  a: { query: { name: a } }
  b: { query: { name: b }, after: a, when: { a.rows: { above: 0 } } }
  c: { query: { name: c }, after: a, onFailure: continue }
  d: { query: { name: d, rows: b }, after: [b, c] }
  e: { query: { name: e }, when: { a.rows: { above: 100 } } }
`;
const DONE = 'succeeded a=done b=done c=failed d=done e=skipped';
const WHEN = ['before', 'after'] as const;

let database: TestDatabase;
let world: World;
beforeAll(async () => {
  database = await openTestDatabase('postgres');
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await openWorld(database);
  world.files.set('diamond', DIAMOND);
  const { behaviours } = world.things;
  behaviours.set('a', { output: { rows: 2 } });
  behaviours.set('c', { fails: () => ({ code: 'broken', message: 'No.' }) });
});
afterEach(() => world.close());

/** What no job carries on any more is for upkeep to find. */
async function settleDown(): Promise<void> {
  await world.finish();
  await world.upkeep();
  await world.finish();
}

const begun = () => ['a', 'b', 'c', 'd', 'e'].map((name) => world.things.of(name).length);

async function liveJobs(id: string): Promise<number> {
  const states = ['QUEUED', 'PROCESSING'] as const;
  const found = await Promise.all(
    states.map((state) => world.queue.list({ filter: { correlationId: id, state }, limit: 10 })),
  );
  return found.flatMap(({ jobs }) => jobs).length;
}

describe('a worker that is killed', () => {
  test.each(WHEN)(
    '%s any contact with the outside leaves a run that ends as it would have, and begins nothing twice',
    async (when) => {
      let points = 0;
      for (let point = 1; ; point += 1) {
        world.things.all.length = 0;
        const id = await world.submit('diamond');
        world.killAt(point, when);
        await world.finish();
        if (world.contacts() < point) break;
        points = point;
        await settleDown();
        expect([point, await world.sight(id)]).toEqual([point, DONE]);
        expect([point, begun(), await liveJobs(id)]).toEqual([point, [1, 1, 1, 1, 0], 0]);
      }
      // Five steps, each with a take, the files, a note before and after the start, looks, an end and the settling.
      expect(points).toBeGreaterThan(35);
    },
    180_000,
  );

  test.each(WHEN)(
    '%s any contact of a submission leaves a run that ends, or none',
    async (when) => {
      const seen: string[] = [];
      for (let point = 1; ; point += 1) {
        world.things.all.length = 0;
        world.killAt(point, when);
        const made = await world.submit('diamond').catch((error: unknown) => {
          expect(error).toBeInstanceOf(Killed);
          return null;
        });
        // What a worker meets later is for the test above.
        if (made !== null) break;
        world.restart();
        await settleDown();
        const { items } = await world.pipelines.runs.list({ limit: 1 });
        const [newest] = items;
        const sight = newest === undefined ? 'none' : await world.sight(newest.run.id);
        seen.push(sight);
        expect(sight).toBeOneOf(['none', DONE]);
        expect(begun()).toBeOneOf([
          [0, 0, 0, 0, 0],
          [1, 1, 1, 1, 0],
        ]);
      }
      expect(seen.length).toBeGreaterThan(0);
    },
    60_000,
  );
});

describe('a process that is killed', () => {
  /** A run whose steps b and c are under way. */
  async function halfWay(): Promise<string> {
    world.things.all.length = 0;
    world.things.behaviours.set('b', { looks: 40 });
    world.things.behaviours.set('c', { looks: 40 });
    const id = await world.submit('diamond');
    while (world.things.all.length < 3) await world.step();
    return id;
  }

  test.each(WHEN)(
    '%s any contact of a cancel leaves a run that ends cancelled, with nothing left running',
    async (when) => {
      let points = 0;
      for (let point = 1; ; point += 1) {
        const id = await halfWay();
        world.killAt(point, when);
        await world.pipelines.runs.cancel(id).catch(() => {});
        const isLast = world.contacts() < point;
        world.restart();
        const state = (await world.sight(id)).split(' ')[0];
        if (state === 'running') await world.pipelines.runs.cancel(id);
        await world.upkeep();
        await world.finish();
        expect([point, await world.sight(id)]).toEqual([
          point,
          'canceled a=done b=canceled c=canceled d=canceled e=canceled',
        ]);
        const left = ['b', 'c'].flatMap((name) =>
          world.things.of(name).map(({ canceled }) => canceled > 0),
        );
        expect([point, left, await liveJobs(id)]).toEqual([point, [true, true], 0]);
        if (isLast) break;
        points = point;
      }
      expect(points).toBeGreaterThan(4);
    },
    120_000,
  );

  test.each(WHEN)(
    '%s any contact of the work of a run that is cancelled meanwhile leaves nothing running',
    async (when) => {
      for (let point = 1; point <= 12; point += 1) {
        world.things.all.length = 0;
        world.things.behaviours.set('a', { looks: 40 });
        const id = await world.submit('diamond');
        world.killAt(point, when);
        await world.step();
        world.restart();
        await world.pipelines.runs.cancel(id);
        await world.finish();
        await world.upkeep();
        await world.finish();
        expect([point, await world.sight(id)]).toEqual([
          point,
          'canceled a=canceled b=canceled c=canceled d=canceled e=canceled',
        ]);
        expect([point, world.things.all.filter(({ canceled }) => canceled === 0)]).toEqual([
          point,
          [],
        ]);
      }
    },
    120_000,
  );

  test.each(WHEN)(
    '%s any contact of a resume leaves a run that goes on, or one that can be resumed',
    async (when) => {
      let points = 0;
      for (let point = 1; ; point += 1) {
        world.things.all.length = 0;
        const { behaviours, of } = world.things;
        const broken = { code: 'broken', message: 'No.' };
        behaviours.set('b', { fails: (thing) => (of('b').indexOf(thing) === 0 ? broken : null) });
        const id = await world.submit('diamond');
        await world.finish();
        expect(await world.sight(id)).toBe('failed a=done b=failed c=failed d=waiting e=waiting');
        world.killAt(point, when);
        const isKilled = await world.pipelines.runs.resume(id).then(
          () => false,
          () => true,
        );
        if (isKilled) world.restart();
        await world.finish();
        if (world.contacts() < point && !isKilled) break;
        points = point;
        await settleDown();
        if ((await world.sight(id)).startsWith('failed')) {
          await world.pipelines.runs.resume(id);
          await settleDown();
        }
        expect([point, await world.sight(id)]).toEqual([point, DONE]);
        expect([point, begun(), await liveJobs(id)]).toEqual([point, [1, 2, 1, 1, 0], 0]);
      }
      expect(points).toBeGreaterThan(20);
    },
    180_000,
  );
});

test('branches that end at the same moment, in two workers, make one join', async () => {
  world.things.behaviours.clear();
  world.things.behaviours.set('a', { looks: 0, output: { rows: 1 } });
  for (const name of ['b', 'c', 'd']) world.things.behaviours.set(name, { looks: 0 });
  const ids: string[] = [];
  for (let round = 0; round < 10; round += 1) ids.push(await world.submit('diamond'));
  for (;;) {
    const worked = await Promise.all([world.step(), world.step(), world.step()]);
    if (!worked.includes(true)) break;
  }
  for (const id of ids)
    expect(await world.sight(id)).toBe('succeeded a=done b=done c=done d=done e=skipped');
  expect(begun()).toEqual([10, 10, 10, 10, 0]);
});

test('an execution that has lost its lease writes nothing', async () => {
  world.things.behaviours.set('a', { looks: 40 });
  const id = await world.submit('diamond');
  await world.step();
  const { store } = world.pipelines;
  const held = (await store.find(id))?.steps[0];
  const [job, epoch] = [held?.job ?? '', held?.epoch ?? 0];
  const holder = (more: object) => ({ step: 'a', revision: 1, job, epoch, ...more });
  await world.step();
  const before = await world.sight(id);
  for (const stale of [holder({}), holder({ job: 'pg-999', epoch: 99 }), holder({ revision: 2 })]) {
    expect(await store.write(id, stale, () => ({ state: 'done' }))).toBeNull();
    expect((await store.take(id, stale))?.taken.type).toBe('foreign');
  }
  expect(await world.sight(id)).toBe(before);
});

test('a job that is gone is made again by upkeep', async () => {
  world.things.behaviours.set('a', { looks: 3, output: { rows: 1 } });
  const id = await world.submit('diamond');
  await world.step();
  await database.script(
    'DELETE FROM millrace.jobs; DELETE FROM millrace.ready; DELETE FROM millrace.scheduled; DELETE FROM millrace.keys; DELETE FROM millrace.count_delta',
  );
  await settleDown();
  expect(await world.sight(id)).toBe(DONE);
  expect(begun()).toEqual([1, 1, 1, 1, 0]);
  expect(world.told).toContain('pipeline_jobs_restored_total 1');
});
