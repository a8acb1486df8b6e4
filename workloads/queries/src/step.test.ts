import type { Step, Who } from '@millrace/workload-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, openTestDatabase } from '../../../stores/postgres/test/stores.ts';
import { USUAL } from '../test/cloud.ts';
import { type World, openWorld } from '../test/world.ts';
import { queryStep } from './step.ts';

/** Queries as steps of pipelines. */

const ADA: Who = {
  tenant: '',
  submitter: 'ada',
  roles: ['member'],
  claims: {},
  correlationId: 'pipe-7',
};
const signal = new AbortController().signal;
const SQL = 'SELECT SubscriberKey FROM _Open WHERE EventDate >= :from AND Domain = :domain';

let database: TestDatabase;
let world: World;
let step: Step;
beforeAll(async () => {
  database = await openTestDatabase('postgres');
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await openWorld(database);
  step = queryStep(world.queries);
});
afterEach(() => world.close());

const start = (key: string, input: object = {}, who = ADA) =>
  step.start({
    input: {
      sql: SQL,
      parameters: { from: { date: '2026-01-01' }, domain: "x'; DELETE --" },
      ...input,
    },
    who,
    key,
    signal,
  });
const look = (id: string, who = ADA) => step.look(id, who, {});

test('a query is begun with its values as literals, looked at until it is done, and gives its rows', async () => {
  const { id } = await start('k1');
  const run = await world.queries.runs.get(id);
  expect(run).toMatchObject({ submitter: 'ada', tenant: '', correlationId: 'pipe-7' });
  expect(run.sqlText).toBe(
    "SELECT SubscriberKey FROM _Open WHERE EventDate >= CONVERT(date, '20260101', 112) AND Domain = N'x''; DELETE --'",
  );
  expect(await look(id)).toEqual({ state: 'running', progress: { done: 0, note: 'queued' } });
  await world.finish();
  expect(await look(id)).toEqual({ state: 'done', output: { rows: 5, runId: id } });
  const rows: unknown[] = [];
  for await (const row of step.rows?.(id, ADA, signal) ?? []) rows.push(row);
  expect(rows).toHaveLength(5);
  expect(Object.keys(rows[0] as object)).toEqual(['SubscriberKey']);
  const file = await step.file?.(id, ADA, signal);
  const parts: Uint8Array[] = [];
  for await (const part of file?.read() ?? []) parts.push(part);
  expect(file?.name).toBe(`${id}.csv`);
  expect(Buffer.concat(parts).toString().split('\r\n')).toHaveLength(7);
  expect(step.link?.(id)).toBe(`/runs/${id}`);
});

test('the same key begins nothing twice, also once the first has failed', async () => {
  world.cloud.behaviour = {
    ...USUAL,
    status: (_, usual) => ({ ...usual, status: 'Error', errorMsg: 'No.' }),
  };
  const { id } = await start('k1');
  expect(await start('k1')).toEqual({ id });
  await world.finish();
  expect(await look(id)).toMatchObject({ state: 'failed', error: { code: 'query_failed' } });
  expect(await start('k1')).toEqual({ id });
  expect((await start('k2')).id).not.toBe(id);
});

test('a cancelled one has failed for the pipeline; cancelling what is over or gone does nothing', async () => {
  const { id } = await start('k1');
  await step.cancel(id, ADA);
  expect(await look(id)).toMatchObject({ state: 'failed', error: { code: 'run_canceled' } });
  await step.cancel(id, ADA);
  await step.cancel('run-999', ADA);
});

describe('what is refused', () => {
  test.each([
    ['SQL that cannot run', { sql: 'SELECT COUNT(*) FROM _Open', parameters: {} }, 'invalid_sql'],
    ['a name without a value', { parameters: {} }, 'invalid_sql'],
    ['a business unit of others', { mid: '100002' }, 'mid_not_allowed'],
  ])('%s fails the step, and is not tried again', async (_, input, code) => {
    await expect(start('k1', input)).rejects.toMatchObject({
      name: 'JobFailure',
      code,
      retryable: false,
    });
  });

  test('the run of somebody else is none', async () => {
    const { id } = await start('k1');
    for (const who of [
      { ...ADA, submitter: 'bob' },
      { ...ADA, tenant: 'acme' },
    ])
      await expect(look(id, who)).rejects.toMatchObject({ code: 'run_not_found' });
  });
});
