import { migrateIn } from '@millrace/store-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, openTestDatabase } from '../../../stores/postgres/test/stores.ts';
import { readConfig } from '../config/config.ts';
import { SCHEMA_PARTS } from '../schema/parts.ts';
import { importLines } from './import.ts';

let place: TestDatabase;
let store: Awaited<ReturnType<TestDatabase['open']>>;
beforeAll(async () => {
  place = await openTestDatabase('postgres');
  store = await place.open();
  await store.database.transaction((session) => migrateIn(session, SCHEMA_PARTS));
});
afterAll(async () => {
  await store.close();
  await place.drop();
});

const { workloads } = readConfig({});
const imported = (...lines: string[]) =>
  importLines(store.database, workloads, async function* () {
    yield* lines;
  });

const SNIPPET = { import: 'snippet', name: 'opens', user: 'ada', sql: 'SELECT 1 AS One' };
const REPORT = {
  import: 'report',
  id: 'JOB_001',
  report: 'timesheets',
  state: 'SUCCEEDED',
  createdAt: new Date().toISOString(),
  finishedAt: new Date().toISOString(),
};

test('all lines are there or none, and again they are there already', async () => {
  const [snippet, report] = [SNIPPET, REPORT].map((each) => JSON.stringify(each));
  for (const [wrong, why] of [
    ['{"import":"letter"}', 'one of query, snippet, report'],
    ['nothing', 'no JSON object'],
    [JSON.stringify({ ...REPORT, state: 'QUEUED' }), 'state: Only runs that are over'],
    [
      JSON.stringify({
        import: 'query',
        id: '1',
        mid: '1',
        sql: 'x',
        status: 'queued',
        createdAt: REPORT.createdAt,
      }),
      'no business unit 1',
    ],
  ] as const)
    await expect(imported(snippet ?? '', '', wrong)).rejects.toMatchObject({
      code: 'line_refused',
      message: expect.stringMatching(new RegExp(`^Line 3: .*${why}.* Nothing was imported\\.$`)),
    });
  expect(await imported(snippet ?? '', report ?? '')).toMatchObject([
    { what: 'snippet', id: 'opens', outcome: 'added', as: 'opens' },
    { what: 'report', id: 'JOB_001', outcome: 'added', as: expect.stringMatching(/^pg-\d+$/) },
  ]);
  expect(await imported(snippet ?? '', report ?? '')).toMatchObject([
    { outcome: 'there' },
    { outcome: 'there' },
  ]);
});
