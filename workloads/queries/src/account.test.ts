import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, openTestDatabase } from '../../../stores/postgres/test/stores.ts';
import { type World, WORK_CONFIG, openWorld } from '../test/world.ts';

/** What runs do with the settings of their account. */

const SQL = 'SELECT SubscriberKey FROM _Open';

let database: TestDatabase;
let world: World;
beforeAll(async () => {
  database = await openTestDatabase('postgres');
});
afterAll(() => database.drop());
afterEach(() => world.close());

const submit = () => world.queries.runs.submit({ sqlText: SQL, tenant: '', submitter: 'ada' });

test('data extensions and queries are made in folders of their own kind', async () => {
  const config = { ...WORK_CONFIG, dataExtensionFolderId: '7', queryFolderId: '8' };
  world = await openWorld(database, { config });
  await submit();
  await world.step();
  expect([...world.cloud.targets.values()]).toMatchObject([{ folderId: '7' }]);
  expect([...world.cloud.queries.values()]).toMatchObject([{ folderId: '8' }]);
});

test.each([
  ['before it is started', 0],
  ['while it runs', 1],
  ['between two polls', 3],
])('a run whose MID is taken out of MCE_MIDS %s fails at once', async (_when, steps) => {
  world = await openWorld(database);
  const { id } = await submit();
  for (let count = 0; count < steps; count += 1) await world.step();
  const asked = world.cloud.calls.length;
  world.mids.shift();
  expect(await world.step()).toBe(true);
  expect(await world.queries.runs.get(id)).toMatchObject({
    state: 'FAILED',
    error: {
      code: 'marketing_cloud_not_configured',
      message: 'The business unit 100001 is no longer in MCE_MIDS.',
    },
  });
  expect(world.cloud.calls).toHaveLength(asked);
  expect(await world.step()).toBe(false);
});

test('a run that is over when its MID is taken out stays as it is, and is cleaned when the MID is back', async () => {
  world = await openWorld(database);
  const { id } = await submit();
  await world.step();
  await world.queries.runs.cancel(id);
  const [removed] = world.mids.splice(0, 1);
  await world.finish();
  expect(await world.queries.runs.get(id)).toMatchObject({ state: 'CANCELED', error: null });
  expect(world.cloud.queries.size).toBe(1);
  if (removed !== undefined) world.mids.push(removed);
  await world.pass(180_000);
  await world.queries.sweep.runOnce();
  expect([world.cloud.queries.size, world.cloud.targets.size]).toEqual([0, 0]);
});
