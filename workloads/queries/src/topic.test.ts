import { EVERYTHING, type Scope } from '@millrace/workload-kit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, openTestDatabase } from '../../../stores/postgres/test/stores.ts';
import { type World, openWorld } from '../test/world.ts';
import { runEvent } from './contract/runs.ts';
import { queriesWithin, queryTopic } from './within.ts';

/** Runs as live events have them. */

const OF_ACME: Scope = { tenants: ['acme'], tenant: 'acme', owner: null };

let database: TestDatabase;
let world: World;
beforeAll(async () => {
  database = await openTestDatabase('postgres');
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await openWorld(database);
});
afterEach(() => world.close());

const submit = async (scope: Scope, submitter: string) => {
  const { runs } = queriesWithin(world.queries, scope);
  return (await runs.submit({ sqlText: 'SELECT SubscriberKey FROM _Open', submitter })).id;
};
const present = async (scope: Scope) =>
  (await queryTopic(world.queries).present(scope)).map(({ id }) => id).toSorted();

test('a reader is first told of the runs that live, within the scope', async () => {
  const ada = await submit(OF_ACME, 'ada');
  const bob = await submit(OF_ACME, 'bob');
  const root = await submit(EVERYTHING, 'root');
  await world.queries.runs.cancel(await submit(OF_ACME, 'ada'));
  // The first is running by now, the others wait.
  await world.step();
  expect(await present(EVERYTHING)).toEqual([ada, bob, root]);
  expect(await present(OF_ACME)).toEqual([ada, bob]);
  expect(await present({ ...OF_ACME, owner: 'bob' })).toEqual([bob]);
  expect(await present({ tenants: [], tenant: 'x', owner: null })).toEqual([]);
});

test('what changed is read with whose it is, as the contract has it, and what is gone is left out', async () => {
  const id = await submit(OF_ACME, 'ada');
  await world.queries.runs.cancel(id);
  const [thing, ...others] = await queryTopic(world.queries).read([id, 'run-999', 'no id']);
  expect(others).toEqual([]);
  expect(thing).toMatchObject({ id, tenant: 'acme', submitter: 'ada' });
  expect(runEvent.parse(thing?.event)).toEqual(thing?.event);
  expect(thing?.event).toMatchObject({
    type: 'run',
    run: { id, state: 'CANCELED', status: 'canceled' },
  });
  expect(JSON.stringify(thing?.event)).not.toContain('millrace-');
});
