import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Call, Scope } from '@millrace/workload-kit';
import { describe, expect, test } from 'vitest';
import { notConfigured } from '../errors.ts';
import { createMids } from '../mids.ts';
import type { Queries } from '../queries.ts';
import type { QueryRunRecord } from '../runs/query-run.ts';
import { queriesWithin } from '../within.ts';
import { handlersOf } from './index.ts';

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;

/** The routes for one caller, over runs in memory: whose they are is decided below the handlers. */

const RUN = {
  id: 'run-1',
  tenant: 'acme',
  submitter: 'ada',
  mid: '1',
  sqlText: 'SELECT 1 AS One',
  state: 'FAILED',
  error: { code: 'query_failed', message: 'No.' },
  columns: null,
  apiCalls: 1.23456,
  createdAt: 0,
  startedAt: null,
  finishedAt: 1,
  resultsExpireAt: null,
} as unknown as QueryRunRecord;

function routesFor(scope: Partial<Scope>, run: Partial<QueryRunRecord> = {}) {
  const asked: unknown[] = [];
  const queries = {
    mids: createMids([]),
    catalog: {},
    runs: {
      find: async (id: string) => (id === 'run-1' ? { ...RUN, ...run } : null),
      async list(params: unknown) {
        asked.push(params);
        return { items: [RUN], next: null };
      },
      cancel: async () => RUN,
      submit: async () => Promise.reject(notConfigured()),
    },
    businessUnit() {
      throw notConfigured();
    },
    counting: async (_: unknown, work: () => Promise<unknown>) => work(),
  } as unknown as Queries;
  const whole: Scope = { tenants: ['acme'], tenant: 'acme', owner: null, ...scope };
  return { routes: handlersOf(queriesWithin(queries, whole)), asked };
}

const call = (more: object) =>
  ({
    params: { id: 'run-1' },
    query: {},
    caller: { name: 'ada' },
    signal: new AbortController().signal,
    ...more,
  }) as unknown as Call<never>;

const refused = (code: string) => expect.objectContaining({ code }) as unknown;

describe('a run', () => {
  test('is its member’s own; viewers and operators of the tenant see it too', async () => {
    for (const owner of ['ada', null]) {
      const { body } = await routesFor({ owner }).routes.getRun(call({}));
      expect(body).toMatchObject({ id: 'run-1', submitter: 'ada', apiCalls: 1.23 });
      expect(body).not.toHaveProperty('targetDeName');
    }
  });

  test.each<[string, Partial<Scope>]>([
    ['somebody else', { owner: 'bob' }],
    ['another tenant', { tenants: ['globex'], tenant: 'globex' }],
  ])('does not exist for %s', async (_, scope) => {
    const { routes } = routesFor(scope);
    const none = refused('run_not_found');
    await expect(routes.getRun(call({}))).rejects.toEqual(none);
    await expect(routes.cancelRun(call({}))).rejects.toEqual(none);
    await expect(routes.runEvents(call({}))).rejects.toEqual(none);
    await expect(routes.getRunResults(call({}))).rejects.toEqual(none);
    const file = call({ params: { id: 'run-1', format: 'csv' } });
    await expect(routes.downloadRunResults(file)).rejects.toEqual(none);
  });

  test('is listed for its member alone, whatever they ask for', async () => {
    const { routes, asked } = routesFor({ owner: 'bob' });
    await routes.listRuns(call({}));
    expect(asked).toMatchObject([{ submitter: 'bob', tenants: ['acme'] }]);
    const others = await routes.listRuns(call({ query: { submitter: 'ada' } }));
    expect(others.body).toEqual({ runs: [], next: null });
  });
});

test('who waits for a run is answered in time, although garbage is collected meanwhile', async () => {
  const queries = {
    mids: createMids([]),
    runs: {
      find: async () => ({ ...RUN, finishedAt: null }),
      submit: async () => ({ ...RUN, finishedAt: null }),
    },
    async *watch(_id: string, signal: AbortSignal) {
      yield { ...RUN, state: 'PROCESSING', finishedAt: null };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  } as unknown as Queries;
  const scope: Scope = { tenants: ['acme'], tenant: 'acme', owner: null };
  const { startRun } = handlersOf(queriesWithin(queries, scope));
  const collecting = setInterval(collect, 5);
  const answer = await startRun(call({ body: { sql: 'SELECT 1 AS A', wait: 0.1 } }));
  clearInterval(collecting);
  expect(answer).toMatchObject({ status: 202, body: { state: 'PROCESSING', status: 'running' } });
});

describe('without an account', () => {
  test('nothing begins, and what has no rows still says why', async () => {
    const { routes } = routesFor({});
    const off = refused('marketing_cloud_not_configured');
    await expect(routes.startRun(call({ body: { sql: 'SELECT 1 AS A' } }))).rejects.toEqual(off);
    await expect(routes.getCatalog(call({}))).rejects.toEqual(off);
    const asking = call({ body: { sql: 'SELECT 1 AS A', askMarketingCloud: true } });
    await expect(routes.validateSql(asking)).rejects.toEqual(off);
    await expect(routes.getRunResults(call({}))).rejects.toEqual(refused('run_not_successful'));
    const ready = {
      state: 'SUCCEEDED',
      targetDeName: 'k',
      targetGoneAt: null,
      rowCount: 1,
    } as const;
    const query = call({ query: { limit: 1 } });
    await expect(routesFor({}, ready).routes.getRunResults(query)).rejects.toEqual(off);
  });

  test('SQL is checked and laid out', async () => {
    const { routes } = routesFor({});
    const { body } = await routes.validateSql(call({ body: { sql: 'SELECT 1 AS A' } }));
    expect(body).toMatchObject({ valid: true, askedMarketingCloud: false });
    await expect(routes.formatSql(call({ body: { sql: 'select 1 as A' } }))).resolves.toMatchObject(
      { body: { sql: expect.stringContaining('SELECT') as unknown } },
    );
  });
});
