import { createMarketingCloud } from '@millrace/marketing-cloud';
import {
  type FaultSpec,
  type MarketingCloud,
  startMarketingCloud,
} from '@millrace/simulator-marketing-cloud';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, openTestDatabase } from '../../../stores/postgres/test/stores.ts';
import { type World, openWorld } from '../test/world.ts';
import type { RunRecord } from './runs/record.ts';

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
    runMs: 20_000,
    runSql: async () => ({ columns: ['name'], rows: [{ name: 'Ada' }, { name: 'Grace' }] }),
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

async function ended(): Promise<RunRecord> {
  const { id } = await world.queries.runs.submit({ sqlText: SQL, tenantId: '', userId: 'ada' });
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
  expect(run).toMatchObject({ status: 'ready', rowCount: 2, mceStatus: 'Complete' });
  expect(run.columns).toEqual([{ name: 'name', type: 'text' }]);
  expect(left()).toEqual([run.targetDeName]);
  expect(run.apiCalls).toBeGreaterThan(5);
  const page = await world.queries.businessUnit(MID).rows(run.targetDeName ?? '', { pageSize: 10 });
  expect(page.rows).toEqual([{ name: 'Ada' }, { name: 'Grace' }]);
});

describe('with each fault, a run ends as it should, and leaks nothing', () => {
  const rows: [FaultSpec & { readonly count?: number }, string][] = [
    [{ kind: 'latency', ms: 1 }, 'ready 2'],
    [{ kind: 'token-expired', times: 1 }, 'ready 2'],
    [{ kind: 'throttled', times: 2, seconds: 5 }, 'ready 2'],
    [{ kind: 'blocked', times: 1 }, 'ready 2'],
    [{ kind: 'retention-refused' }, 'ready 2'],
    [{ kind: 'create-exception' }, 'ready 2'],
    [{ kind: 'new-id-zero' }, 'ready 2'],
    [{ kind: 'slow', ms: 300_000 }, 'ready 2'],
    [{ kind: 'late-rows', ms: 10_000 }, 'ready 2'],
    [{ kind: 'no-completed-date' }, 'ready 2'],
    [{ kind: 'early-completed-date' }, 'ready 2'],
    [{ kind: 'no-status' }, 'ready 2'],
    [{ kind: 'unknown-task' }, 'ready 2'],
    [{ kind: 'not-running' }, 'ready 2'],
    [{ kind: 'lost-rows' }, 'ready 0'],
    [{ kind: 'no-rowset' }, 'failed rowset_unavailable'],
    [{ kind: 'stuck-queued' }, 'failed query_timeout'],
    [{ kind: 'task-error', message: 'Division by zero.' }, 'failed query_failed'],
    [{ kind: 'fatal-error', times: 1 }, 'ready 2'],
    [{ kind: 'fatal-error' }, 'failed query_failed'],
    // The generic exception: nobody knows how far the start had come.
    [{ kind: 'perform-error', message: 'No.' }, 'failed start_unknown'],
    [{ kind: 'permission', operation: 'soap:Create' }, 'failed marketing_cloud_refused'],
    [{ kind: 'permission', operation: 'soap:Perform' }, 'failed marketing_cloud_refused'],
    // Whoever may not retrieve anything sees the end by REST, and everything as text.
    [{ kind: 'permission', operation: 'soap:Retrieve' }, 'ready 2'],
    [{ kind: 'permission', operation: 'rest:validate' }, 'ready 2'],
    [{ kind: 'permission', operation: 'rest:rowset' }, 'failed rowset_unavailable'],
    [{ kind: 'permission' }, 'failed marketing_cloud_refused'],
    [{ kind: 'bad-client' }, 'failed marketing_cloud_unavailable'],
    [{ kind: 'cut-before', operation: 'soap:Create', times: 1 }, 'ready 2'],
    [{ kind: 'cut-after', operation: 'soap:Create DataExtension', times: 1 }, 'ready 2'],
    [{ kind: 'cut-after', operation: 'soap:Create QueryDefinition', times: 1 }, 'ready 2'],
    [{ kind: 'cut-after', operation: 'soap:Perform', times: 1 }, 'ready 2'],
    [{ kind: 'gateway', operation: 'soap:Perform', times: 1 }, 'failed start_unknown'],
    [{ kind: 'gateway-after', operation: 'soap:Delete', times: 5 }, 'ready 2'],
    [{ kind: 'cut-after', operation: 'soap:Retrieve', times: 3 }, 'ready 2'],
  ];
  test.each(rows)('%j: %s', async (fault, expected) => {
    cloud.faults.add(fault);
    const run = await ended();
    const end = run.error?.code ?? String(run.rowCount);
    expect(`${run.status} ${end}`).toBe(expected);
    cloud.faults.clear();
    await world.pass(180_000);
    await world.queries.sweep.runOnce();
    await world.queries.sweep.strays();
    expect(left()).toEqual(run.status === 'ready' ? [run.targetDeName] : []);
    expect(run.error?.message ?? '').not.toContain(CLIENT.secret);
  });
});
