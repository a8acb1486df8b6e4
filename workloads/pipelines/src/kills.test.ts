import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, openTestDatabase } from '../../../stores/postgres/test/stores.ts';
import {
  DONE,
  begun,
  killAndCancel,
  killCancel,
  killResume,
  killSubmission,
  killWorker,
  openDiamond,
  settleDown,
} from '../test/kills.ts';
import type { World } from '../test/world.ts';

/** Processes that end at one contact with the outside for each part of a run; kills.long.test.ts has all contacts. */

let database: TestDatabase;
let world: World;
beforeAll(async () => {
  database = await openTestDatabase('postgres');
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await openDiamond(database);
});
afterEach(() => world.close());

describe('a process that is killed', () => {
  test.each([
    [1, 'before'],
    [7, 'after'],
    [13, 'before'],
    [19, 'after'],
    [25, 'before'],
    [31, 'after'],
  ] as const)(
    'at contact %i of a run, %s it, leaves a run that ends as it would have, and begins nothing twice',
    async (point, when) => {
      expect(await killWorker(world, point, when)).toBe(true);
    },
  );

  test('within a submission leaves a run that ends, or none', async () => {
    expect(await killSubmission(world, 1, 'after')).toBe(true);
  });

  test('within a cancel leaves a run that ends cancelled, with nothing left running', async () => {
    expect(await killCancel(world, 3, 'after')).toBe(true);
  });

  test('before a cancel leaves nothing running', async () => {
    await killAndCancel(world, 4, 'after');
  });

  test('within a resume leaves a run that goes on, or one that can be resumed', async () => {
    expect(await killResume(world, 2, 'before')).toBe(true);
  });
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
    expect(await world.sight(id)).toBe('SUCCEEDED a=done b=done c=done d=done e=skipped');
  expect(begun(world)).toEqual([10, 10, 10, 10, 0]);
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
  await settleDown(world);
  expect(await world.sight(id)).toBe(DONE);
  expect(begun(world)).toEqual([1, 1, 1, 1, 0]);
  expect(world.told).toContain('pipeline_jobs_restored_total 1');
});
