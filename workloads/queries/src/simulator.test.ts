import { createMarketingCloud } from '@millrace/marketing-cloud';
import {
  type FaultSpec,
  type MarketingCloud,
  startMarketingCloud,
} from '@millrace/simulator-marketing-cloud';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, openTestDatabase } from '../../../stores/postgres/test/stores.ts';
import { type World, openWorld } from '../test/world.ts';
import type { QueryRunRecord } from './runs/query-run.ts';

/** The workload and the connector against the simulated Marketing Cloud, in a time that passes from job to job. */

const MID = '100001';
const CLIENT = { clientId: 'package', secret: 'secret' };
const SQL = 'SELECT name FROM People';

let database: TestDatabase;
let cloud: MarketingCloud;
let world: World;
beforeAll(async () => {
  database = await openTestDatabase('postgres');
});
afterAll(() => database.drop());

beforeEach(async () => {
  const start = Date.now();
  cloud = await startMarketingCloud({
    clients: [CLIENT],
    units: [
      {
        mid: MID,
        dataExtensions: [
          { name: 'People', fields: [{ name: 'name', type: 'Text', maxLength: 50 }] },
        ],
      },
    ],
    sample: false,
    now: () => start,
    queueMs: 3_000,
    runMs: ({ query }) => (query.queryText.includes('brief') ? 0 : 20_000),
    runSql: async ({ sql }) => ({
      columns: ['name'],
      rows: sql.includes('Nobody') ? [] : [{ name: 'Ada' }, { name: 'Grace' }],
    }),
  });
  world = await openWorld(
    database,
    {
      account: {
        mids: [{ tenant: '', mid: MID }],
        open: (onCall) =>
          createMarketingCloud(
            { authUrl: cloud.authUrl, clientId: CLIENT.clientId, clientSecret: CLIENT.secret },
            {
              onCall,
              now: cloud.now,
              sleep: async (ms) => cloud.advance(ms),
            },
          ),
      },
    },
    async (ms) => {
      cloud.advance(ms);
      await cloud.settled();
    },
  );
});
afterEach(async () => {
  await world.close();
  await cloud.close();
});

async function ended(sqlText = SQL): Promise<QueryRunRecord> {
  const { id } = await world.queries.runs.submit({ sqlText, tenant: '', submitter: 'ada' });
  await world.finish();
  const run = await world.queries.runs.find(id);
  if (run === null) throw new Error('gone');
  return run;
}

/** What is left in the account beside People. */
function left(): string[] {
  const unit = cloud.unit(MID);
  return [...unit.dataExtensions(), ...unit.queries()]
    .map(({ customerKey }) => customerKey)
    .filter((key) => key.startsWith('millrace-'));
}

test('a run ends with its rows, and leaves its target alone', async () => {
  const run = await ended();
  expect(run).toMatchObject({ state: 'SUCCEEDED', rowCount: 2, mceStatus: 'Complete' });
  expect(run.columns).toEqual([{ name: 'name', type: 'text' }]);
  expect(left()).toEqual([run.targetDeName]);
  expect(run.apiCalls).toBeGreaterThan(5);
  const page = await world.queries.businessUnit(MID).rows(run.targetDeName ?? '', { pageSize: 10 });
  expect(page.rows).toEqual([{ name: 'Ada' }, { name: 'Grace' }]);
});

describe('with each fault, a run ends as it should, and leaks nothing', () => {
  const rows: [FaultSpec & { readonly count?: number }, string][] = [
    [{ kind: 'latency', ms: 1 }, 'SUCCEEDED 2'],
    [{ kind: 'token-expired', times: 1 }, 'SUCCEEDED 2'],
    [{ kind: 'throttled', times: 2, seconds: 5 }, 'SUCCEEDED 2'],
    [{ kind: 'blocked', times: 1 }, 'SUCCEEDED 2'],
    [{ kind: 'retention-refused' }, 'SUCCEEDED 2'],
    [{ kind: 'create-exception' }, 'SUCCEEDED 2'],
    [{ kind: 'new-id-zero' }, 'SUCCEEDED 2'],
    [{ kind: 'slow', ms: 300_000 }, 'SUCCEEDED 2'],
    [{ kind: 'late-rows', ms: 10_000 }, 'SUCCEEDED 2'],
    [{ kind: 'no-completed-date' }, 'SUCCEEDED 2'],
    [{ kind: 'early-completed-date' }, 'SUCCEEDED 2'],
    [{ kind: 'stays-queued' }, 'SUCCEEDED 2'],
    [{ kind: 'ignores-in' }, 'SUCCEEDED 2'],
    [{ kind: 'no-status' }, 'SUCCEEDED 2'],
    [{ kind: 'unknown-task' }, 'SUCCEEDED 2'],
    [{ kind: 'not-running' }, 'SUCCEEDED 2'],
    [{ kind: 'lost-rows' }, 'SUCCEEDED 0'],
    [{ kind: 'no-rowset' }, 'FAILED rowset_unavailable'],
    [{ kind: 'stuck-queued' }, 'FAILED query_timeout'],
    [{ kind: 'task-error', message: 'Division by zero.' }, 'FAILED query_failed'],
    [{ kind: 'fatal-error', times: 1 }, 'SUCCEEDED 2'],
    [{ kind: 'fatal-error' }, 'FAILED query_failed'],
    // The generic exception: nobody knows how far the start had come.
    [{ kind: 'perform-error', message: 'No.' }, 'FAILED start_unknown'],
    [{ kind: 'permission', operation: 'soap:Create' }, 'FAILED marketing_cloud_refused'],
    [{ kind: 'permission', operation: 'soap:Perform' }, 'FAILED marketing_cloud_refused'],
    // Whoever may not retrieve anything sees the end by REST, and everything as text.
    [{ kind: 'permission', operation: 'soap:Retrieve' }, 'SUCCEEDED 2'],
    [{ kind: 'permission', operation: 'rest:validate' }, 'SUCCEEDED 2'],
    [{ kind: 'permission', operation: 'rest:rowset' }, 'FAILED rowset_unavailable'],
    [{ kind: 'permission' }, 'FAILED marketing_cloud_refused'],
    [{ kind: 'bad-client' }, 'FAILED marketing_cloud_unavailable'],
    [{ kind: 'cut-before', operation: 'soap:Create', times: 1 }, 'SUCCEEDED 2'],
    [{ kind: 'cut-after', operation: 'soap:Create DataExtension', times: 1 }, 'SUCCEEDED 2'],
    [{ kind: 'cut-after', operation: 'soap:Create QueryDefinition', times: 1 }, 'SUCCEEDED 2'],
    [{ kind: 'cut-after', operation: 'soap:Perform', times: 1 }, 'SUCCEEDED 2'],
    [{ kind: 'gateway', operation: 'soap:Perform', times: 1 }, 'FAILED start_unknown'],
    [{ kind: 'gateway-after', operation: 'soap:Delete', times: 5 }, 'SUCCEEDED 2'],
    [{ kind: 'cut-after', operation: 'soap:Retrieve', times: 3 }, 'SUCCEEDED 2'],
  ];
  test.each(rows)('%j: %s', async (fault, expected) => {
    cloud.faults.add(fault);
    const run = await ended();
    const end = run.error?.code ?? String(run.rowCount);
    expect(`${run.state} ${end}`).toBe(expected);
    cloud.faults.clear();
    await world.pass(180_000);
    await world.queries.sweep.runOnce();
    await world.queries.sweep.strays();
    expect(left()).toEqual(run.state === 'SUCCEEDED' ? [run.targetDeName] : []);
    expect(run.error?.message ?? '').not.toContain(CLIENT.secret);
  });
});

describe('a query without rows', () => {
  const NOBODY = "SELECT name FROM People WHERE name = 'Nobody'";
  async function seconds(sqlText: string): Promise<number> {
    const run = await ended(sqlText);
    const rowCount = sqlText === SQL ? 2 : 0;
    expect(run).toMatchObject({ state: 'SUCCEEDED', rowCount, error: null });
    return ((run.finishedAt ?? 0) - (run.startedAt ?? 0)) / 1_000;
  }

  test('takes a few seconds more than one with rows', async () => {
    expect((await seconds(NOBODY)) - (await seconds(SQL))).toBeLessThan(12);
  });

  test('is ready in about a minute where SOAP says Queued for ever, and it was seen to run', async () => {
    cloud.faults.add({ kind: 'stays-queued' });
    expect(await seconds(NOBODY)).toBeLessThan(75);
  });

  test('is ready in little more than three minutes where nobody saw it run, and says what it waits for', async () => {
    cloud.faults.add({ kind: 'stays-queued' });
    const waits = new Set<string | null>();
    const { id } = await world.queries.runs.submit({
      sqlText: `${NOBODY} /* brief */`,
      tenant: '',
      submitter: 'ada',
    });
    while (await world.step()) waits.add((await world.queries.runs.get(id)).waitsFor);
    const run = await world.queries.runs.get(id);
    expect(run).toMatchObject({
      state: 'SUCCEEDED',
      rowCount: 0,
      mceStatus: 'Queued',
      waitsFor: null,
    });
    const took = (run.finishedAt ?? 0) - (run.startedAt ?? 0);
    expect(took).toBeGreaterThan(180_000);
    expect(took).toBeLessThan(210_000);
    expect([...waits].some((each) => each?.includes('queued and completed'))).toBe(true);
  });

  test('is not taken for ended while it waits for its turn, with a CompletedDate or without', async () => {
    for (const kind of ['early-completed-date', 'stays-queued'] as const) {
      cloud.faults.clear();
      cloud.faults.add({ kind });
      const held = cloud.faults.add({ kind: 'stuck-queued' });
      const { id } = await world.queries.runs.submit({
        sqlText: SQL,
        tenant: '',
        submitter: 'ada',
      });
      const began = world.now();
      while (world.now() - began < 170_000) await world.step();
      cloud.faults.remove(held.id);
      await world.finish();
      expect(await world.queries.runs.get(id)).toMatchObject({ state: 'SUCCEEDED', rowCount: 2 });
    }
  });
});

test('every task has its own status where IN finds one of several, and the log says so', async () => {
  cloud.faults.add({ kind: 'ignores-in' });
  const { runs, workshop } = world.queries;
  const ids: string[] = [];
  for (let run = 0; run < 3; run += 1) {
    ids.push((await runs.submit({ sqlText: SQL, tenant: '', submitter: 'ada' })).id);
    await world.step();
  }
  await world.pass(60_000);
  const taskIds = (await runs.byIds(ids)).map(({ taskId }) => taskId ?? '');
  const ask = () => Promise.all(taskIds.map((taskId) => workshop().statuses.ask(MID, taskId)));
  const complete = taskIds.map((taskId) => expect.objectContaining({ taskId, status: 'Complete' }));
  expect(await ask()).toEqual(complete);
  const calls = () => cloud.calls.byOperation['soap:Retrieve AsyncActivityStatus'] ?? 0;
  const before = calls();
  expect(await ask()).toEqual(complete);
  expect(calls() - before).toBe(3);
  expect(world.warnings.filter((each) => each.includes('does not honour IN'))).toHaveLength(1);
});
