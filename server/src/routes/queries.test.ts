import type { Client } from '@millrace/api';
import { type MarketingCloud, startMarketingCloud } from '@millrace/simulator-marketing-cloud';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusal } from '../../test/harness.ts';
import { type TestServer, startServer } from '../../test/server.ts';

/** Queries over HTTP: the compiled process, Postgres, and a simulated Marketing Cloud that is quick. */

/** `SELECT TOP n`: so many rows, as Marketing Cloud writes them. */
function rowsFor(sql: string) {
  const count = Number(/TOP (\d+)/.exec(sql)?.[1] ?? 0);
  const more = sql.includes('wide') ? 'x'.repeat(1_000) : '';
  return Array.from({ length: count }, (_, index) => ({
    Email: `=user${index}${more}`,
    N: `${index}`,
  }));
}
const top = (count: number) => `SELECT TOP ${count} Domain AS Email, JobID AS N FROM _Open`;

const CUSTOMERS = {
  name: 'Customers',
  customerKey: 'customers-key',
  fields: [{ name: 'Email', type: 'EmailAddress' }],
} as const;

let cloud: MarketingCloud;
let server: TestServer;
let baseUrl: string;
let client: Client;

beforeAll(async () => {
  cloud = await startMarketingCloud({
    units: [{ mid: '100001', dataExtensions: [CUSTOMERS] }, '100002'],
    sample: false,
    runSql: async ({ sql }) => ({ columns: ['Email', 'N'], rows: rowsFor(sql) }),
  });
  server = await startServer({
    MILLRACE_DOCUMENTS: 'false',
    MCE_AUTH_URL: cloud.origin,
    MCE_CLIENT_ID: 'millrace',
    MCE_CLIENT_SECRET: 'secret',
    MCE_MIDS: '100001,100002',
    SHELL_QUERY_INITIAL_DELAY: '20ms',
    SHELL_QUERY_MAX_DELAY: '50ms',
    SHELL_QUERY_ROWSET_READY_INITIAL_DELAY: '10ms',
    SHELL_QUERY_ROWSET_READY_MAX_DELAY: '10ms',
  });
  ({ baseUrl, client } = server);
}, 180_000);
afterAll(async () => {
  await server.close();
  await cloud.close();
}, 60_000);

const run = (sql: string) => client.startRun({ body: { sql, wait: 60 } });

describe('a run', () => {
  test('from the SQL to its rows, with what it cost', async () => {
    const ended = await run(top(3));
    expect(ended).toMatchObject({ status: 'ready', rowCount: 3, error: null });
    expect(ended.apiCalls).toBeGreaterThan(3);
    const params = { id: ended.id };
    const first = await client.getRunResults({ params, query: { limit: 2 } });
    expect(first.rows).toEqual([
      { Email: '=user0', N: 0 },
      { Email: '=user1', N: 1 },
    ]);
    const cursor = first.next ?? '';
    const second = await client.getRunResults({ params, query: { cursor } });
    expect(second).toMatchObject({ rows: [{ Email: '=user2', N: 2 }], next: null });
    expect((await client.listRuns({ query: { status: 'ready' } })).runs[0]?.id).toBe(ended.id);
  });

  test('is told first as it is, then as it changes, and the stream ends with it', async () => {
    cloud.faults.add({ kind: 'stuck-queued' });
    const { id } = await client.startRun({ body: { sql: top(1) } });
    const statuses: string[] = [];
    for await (const { run: seen } of client.runEvents({ params: { id } })) {
      statuses.push(seen.status);
      if (seen.status === 'running') cloud.faults.clear();
      if (seen.finishedAt !== null) break;
    }
    expect(['queued', 'running']).toContain(statuses[0]);
    expect(statuses.at(-1)).toBe('ready');
    const over = await fetch(`${baseUrl}/runs/${id}/events`);
    expect(over.headers.get('content-type')).toContain('text/event-stream');
    expect((await over.text()).match(/^data: /gm)).toHaveLength(1);
  });

  test('without rows went well; one that failed says why; one that is not over is neither', async () => {
    const none = await run(top(0));
    expect(none).toMatchObject({ status: 'ready', rowCount: 0 });
    expect(await client.getRunResults({ params: { id: none.id } })).toMatchObject({ rows: [] });
    cloud.faults.add({ kind: 'task-error', message: 'Divide by zero.', times: 1 });
    const failed = await run(top(1));
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'query_failed' } });
    const params = { id: failed.id };
    const why = await refusal(client.getRunResults({ params }), 'run_not_successful');
    expect(why).toContain('Divide by zero.');
    cloud.faults.add({ kind: 'stuck-queued' });
    const { id } = await client.startRun({ body: { sql: top(1) } });
    await refusal(client.getRunResults({ params: { id } }), 'run_not_ready');
    expect(await client.cancelRun({ params: { id } })).toMatchObject({ status: 'canceled' });
    await refusal(client.cancelRun({ params: { id } }), 'run_finished');
    await refusal(client.getRunResults({ params: { id } }), 'run_not_successful');
    cloud.faults.clear();
  });

  test('with a key is made once, until its window is over', async () => {
    const body = { sql: top(1), key: 'once', wait: 60 };
    const { id } = await client.startRun({ body });
    expect(await client.startRun({ body })).toMatchObject({ id, status: 'ready' });
    const again = await client.startRun({ body: { ...body, keyWindow: '0ms' } });
    expect(again.id).not.toBe(id);
    await refusal(client.startRun({ body: { ...body, keyWindow: '9999d' } }), 'invalid_key');
    await refusal(client.startRun({ body: { ...body, key: 'a\0b' } }), 'invalid_request');
  });

  test('is refused before it begins where the SQL or the business unit is wrong', async () => {
    const sentence = await refusal(
      client.startRun({ body: { sql: 'DELETE FROM x' } }),
      'invalid_sql',
    );
    expect(sentence).toMatch(/^Line 1, column 1: /);
    await refusal(client.startRun({ body: { sql: top(1), mid: '9' } }), 'mid_not_allowed');
    await refusal(client.startRun({ body: { snippet: 'none' } }), 'snippet_not_found');
    const both = client.startRun({ body: { sql: top(1), snippet: 'x' } });
    await refusal(both, 'invalid_request');
    await refusal(client.getRun({ params: { id: 'run-999' } }), 'run_not_found');
  });
});

describe('a download', () => {
  test('has its type and name, runs nothing in a spreadsheet, and is audited once', async () => {
    const { id } = await run(top(2));
    const csv = await client.downloadRunResults({ params: { id, format: 'csv' } });
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.headers.get('content-disposition')).toContain(`filename="${id}.csv"`);
    expect(await csv.text()).toBe("Email,N\r\n'=user0,0\r\n'=user1,1\r\n");
    for (const format of ['xlsx', 'parquet', 'jsonl'] as const) {
      const file = await client.downloadRunResults({ params: { id, format } });
      expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(20);
    }
    const { entries } = await client.listAudit({ query: { target: id } });
    expect(entries.map(({ action }) => action)).toEqual(Array(4).fill('downloadRunResults'));
    const other = await fetch(`${baseUrl}/runs/${id}/results.pdf`);
    expect(other.status).toBe(400);
  });

  test('whose rows break off does not look whole', async () => {
    // 30 MB: more than lies between the two processes while nobody reads.
    const { id } = await run(`${top(30_000)} /* wide */`);
    const file = await fetch(`${baseUrl}/runs/${id}/results.csv`);
    expect(file.status).toBe(200);
    const reader = file.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    cloud.faults.add({ kind: 'gateway', operation: 'rest:rowset' });
    const rest = async (): Promise<void> => {
      while ((await reader?.read())?.done === false);
    };
    await expect(rest()).rejects.toThrow('terminated');
    cloud.faults.clear();
    const whole = await fetch(`${baseUrl}/runs/${id}/results.csv`);
    expect((await whole.text()).split('\r\n')).toHaveLength(30_002);
  }, 120_000);
});

test('snippets are kept, run and forgotten', async () => {
  const params = { name: 'opens' };
  const saved = await client.saveSnippet({ params, body: { sql: top(1), shared: true } });
  expect(saved).toMatchObject({ name: 'opens', shared: true });
  const { id } = await client.startRun({ body: { snippet: 'opens', wait: 60 } });
  const { snippetName } = await client.getRun({ params: { id } });
  expect(snippetName).toBe('opens');
  const file = await client.downloadRunResults({ params: { id, format: 'csv' } });
  expect(file.headers.get('content-disposition')).toContain('filename="opens.csv"');
  expect((await client.listSnippets()).snippets).toHaveLength(1);
  await client.deleteSnippet({ params });
  await refusal(client.getSnippet({ params }), 'snippet_not_found');
});

test('SQL is checked and laid out, and the catalogue says what there is', async () => {
  const good = await client.validateSql({ body: { sql: top(1), askMarketingCloud: true } });
  expect(good).toMatchObject({ valid: true, askedMarketingCloud: true });
  expect(good.columns?.map(({ name }) => name)).toEqual(['Email', 'N']);
  const { sql } = await client.formatSql({ body: { sql: 'select a from b' } });
  expect(sql).toMatch(/^SELECT\s+a\s+FROM\s+b/);
  const catalog = await client.getCatalog();
  expect(catalog).toMatchObject({ mid: '100001', mids: ['100001', '100002'] });
  expect(catalog.dataViews.map(({ name }) => name)).toContain('_Open');
  expect(catalog.dataExtensions).toMatchObject([{ name: 'Customers', fields: null }]);
  const { dataExtensions } = await client.getCatalog({ query: { dataExtension: 'customers' } });
  expect(dataExtensions).toMatchObject([{ fields: [{ name: 'Email', type: 'EmailAddress' }] }]);
  const view = await client.getCatalog({ query: { dataExtension: '_open' } });
  expect(view.dataExtensions).toEqual([]);
  expect(view.dataViews).toMatchObject([{ name: '_Open' }]);
  const none = client.getCatalog({ query: { dataExtension: 'none such' } });
  await refusal(none, 'data_extension_not_found');
});
