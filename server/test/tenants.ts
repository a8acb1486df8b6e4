import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RouteName, contracts } from '@millrace/api';
import { DOCX_TYPE } from '@millrace/documents/contract';
import { type Identity, startIdentity } from '@millrace/simulator-identity';
import { startMarketingCloud } from '@millrace/simulator-marketing-cloud';
import { expect } from 'vitest';
import { docx, p } from '../../docx/test/builder.ts';
import { bareDatabase } from '../../stores/postgres/test/databases.ts';
import { type Started, startMain } from './process.ts';
import { isLong } from '../../scripts/need.mjs';

/**
 * The compiled process with TENANT_CLAIM, and tenants that have things of the same names: on Postgres, in the long suite on the
 * embedded database.
 */

export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly upload?: { readonly type: string; readonly bytes: Buffer };
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** What one tenant has. `next`: of a list's first page, by the name of the route. */
export interface Things {
  readonly job: string;
  readonly failed: string;
  readonly template: string;
  readonly file: string;
  readonly batch: string;
  readonly run: string;
  readonly snippet: string;
  /** A run of a report. */
  readonly report: string;
  readonly pipelineRun: string;
  /** A bulk action that was frozen. */
  readonly bulk: string;
  /** A view of the jobs, by its name. */
  readonly saved: string;
  /** The business unit of Marketing Cloud. */
  readonly mid: string;
  readonly next: ReadonlyMap<string, string>;
}

export const csv = (text: string) => ({ type: 'text/csv', bytes: Buffer.from(text) });

const PAGED = [
  'listJobs',
  'counts',
  'listAudit',
  'listBatches',
  'listFiles',
  'listTemplates',
  'listRuns',
  'listSnippets',
  'listReportRuns',
  'listPipelineRuns',
  'listBulk',
  'listSaved',
] as const;

/** Lists whose first pages stay the same until somebody changes something. Runs advance by themselves. */
const LISTS = [
  'listJobs',
  'counts',
  'listBatches',
  'listFiles',
  'listTemplates',
  'listSnippets',
  'listReportRuns',
  'listBulk',
  'listSaved',
] as const;

const MIDS: Readonly<Record<string, string>> = { globex: '100001', acme: '100002' };

const JOB_FILE = `import { defineJob, done } from '@millrace/engine';
import { z } from 'zod';
export const wait = defineJob({ kind: 'wait', input: z.unknown(), public: true, run: async () => done(null) });
`;

const REPORT_FILE = `title: One
sql: SELECT 1 AS id
key: id
public: true
`;
const PIPELINE = 'title: Opens\nsteps:\n  opens: { query: { sql: SELECT 1 AS One } }\n';

export type TenantsWorld = Awaited<ReturnType<typeof startTenants>>;

export async function startTenants() {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tenants-'));
  mkdirSync(join(folder, 'jobs'));
  writeFileSync(join(folder, 'jobs/wait.mjs'), JOB_FILE);
  mkdirSync(join(folder, 'reports'));
  writeFileSync(join(folder, 'reports/one.yaml'), REPORT_FILE);
  mkdirSync(join(folder, 'pipelines'));
  writeFileSync(join(folder, 'pipelines/opens.yaml'), PIPELINE);
  const issuer: Identity = await startIdentity();
  const cloud = await startMarketingCloud({
    units: Object.values(MIDS),
    sample: false,
    runSql: async ({ target }) => ({ columns: target.map(({ name }) => name), rows: [] }),
  });
  const isEmbedded = isLong;
  const database = isEmbedded ? null : await bareDatabase();
  const started: Started = startMain(
    {
      PORT: '0',
      ISSUER: issuer.issuer,
      AUDIENCE: issuer.audience,
      JWKS_URI: issuer.jwksUri,
      TENANT_CLAIM: 'tenants',
      CONVERSION_MAX_CONCURRENT: '1',
      MCE_AUTH_URL: cloud.origin,
      MCE_CLIENT_ID: 'millrace',
      MCE_CLIENT_SECRET: 'secret',
      MCE_MIDS: Object.entries(MIDS)
        .map(([tenant, mid]) => `${tenant}=${mid}`)
        .join(','),
      SHELL_QUERY_INITIAL_DELAY: '20ms',
      SHELL_QUERY_MAX_DELAY: '50ms',
      SHELL_QUERY_ROWSET_READY_INITIAL_DELAY: '10ms',
      SHELL_QUERY_ROWSET_READY_MAX_DELAY: '10ms',
      ...(database && { DATABASE_URL: database.url, REPORTS_DATABASE_URL: database.url }),
    },
    folder,
  );
  const [, baseUrl = ''] = await started.says(/"address":"([^"]+)"/);

  async function call(bearer: string, name: RouteName, asked: Asked = {}): Promise<Answer> {
    const { method, path } = contracts[name];
    const filled = path.replaceAll(/:(\w+)/g, (_, param: string) =>
      encodeURIComponent(asked.params?.[param] ?? ''),
    );
    const query = new URLSearchParams(asked.query).toString();
    const response = await fetch(`${baseUrl}${filled}${query === '' ? '' : `?${query}`}`, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        ...(asked.body !== undefined && { 'content-type': 'application/json' }),
        ...(asked.upload && { 'content-type': asked.upload.type }),
        ...asked.headers,
      },
      ...(asked.body !== undefined && { body: JSON.stringify(asked.body) }),
      ...(asked.upload && { body: new Uint8Array(asked.upload.bytes) }),
    });
    return { status: response.status, text: await response.text() };
  }

  const tokens = new Map<string, Promise<string>>();
  function token(tenant: string, role: string): Promise<string> {
    const name = `${role}@${tenant}`;
    const claims = {
      oid: name,
      sub: `pairwise ${name}`,
      preferred_username: name,
      roles: [role],
      tenants: [tenant],
    };
    const made = tokens.get(name) ?? issuer.sign(claims);
    tokens.set(name, made);
    return made;
  }

  async function operator(tenant: string, name: RouteName, asked: Asked = {}): Promise<Answer> {
    return call(await token(tenant, 'operator'), name, asked);
  }

  async function ok<T>(tenant: string, name: RouteName, asked: Asked = {}): Promise<T> {
    const { status, text } = await operator(tenant, name, asked);
    expect([name, status, text]).toEqual([name, expect.toBeOneOf([200, 201, 202]), text]);
    return JSON.parse(text) as T;
  }

  /** The same things, by the same names, for each tenant; whatever is of one has its name in it. */
  async function furnish(tenant: string): Promise<Things> {
    const headers = { 'x-correlation-id': `${tenant}-request`, accept: 'application/json' };
    const enqueue = (body: object) => ok<{ id: string }>(tenant, 'enqueue', { body, headers });
    const { id: waiting } = await enqueue({
      kind: 'wait',
      data: { of: tenant },
      key: 'same',
      delay: '1h',
    });
    const { id: ended } = await enqueue({ kind: 'wait', data: { of: tenant }, delay: '1h' });
    await ok(tenant, 'cancelJob', { params: { id: ended } });
    const upload = { type: DOCX_TYPE, bytes: docx(p(`${tenant}: dear {{Name}}`)) };
    const added = await ok<{ template: { id: string } }>(tenant, 'addTemplate', {
      params: { id: 'letter' },
      upload,
    });
    const { id } = added.template;
    const format = { outputFormat: 'DOCX' };
    const made = await ok<{ file: { id: string } }>(tenant, 'generate', {
      body: {
        templateId: 'letter',
        outputFileName: `${tenant}.docx`,
        data: { Name: 'x' },
        ...format,
      },
      headers,
    });
    const { id: batchId } = await ok<{ id: string }>(tenant, 'createBatch', {
      query: { templateId: id, outputFileName: `${tenant} {{Name}}`, ...format },
      upload: csv('Name\na\nb\n'),
      headers,
    });
    await batchOver(tenant, batchId);
    // The name says nothing of the tenant: strangers name it too, and the audit log keeps what they named.
    const snippet = `opens-${MIDS[tenant]}`;
    const sql = `SELECT 1 AS ${tenant}`;
    await ok(tenant, 'saveSnippet', { params: { name: snippet }, body: { sql, shared: true } });
    const { id: run } = await ok<{ id: string }>(tenant, 'startRun', {
      body: { snippet, wait: 60 },
    });
    const { id: report } = await ok<{ id: string }>(tenant, 'startReport', {
      params: { name: 'one' },
      body: { wait: 60 },
      headers,
    });
    const { id: pipelineRun } = await ok<{ id: string }>(tenant, 'startPipeline', {
      params: { name: 'opens' },
      body: {},
    });
    // The stream ends with the run.
    const events = await operator(tenant, 'pipelineRunEvents', { params: { id: pipelineRun } });
    expect(events.text).toContain('"state":"SUCCEEDED"');
    const freeze = (value: object) =>
      ok<{ id: string }>(tenant, 'freezeBulk', { body: value, headers });
    await freeze({ action: 'retry', filter: { correlationId: `${tenant}-request` } });
    const { id: bulk } = await freeze({ action: 'cancel', ids: [waiting] });
    const saved = `view-${MIDS[tenant]}`;
    for (const name of [saved, `${saved}-2`])
      await ok(tenant, 'putSaved', {
        params: { what: 'views', name },
        body: { value: { q: tenant, submitter: `operator@${tenant}` } },
      });
    const next = new Map<string, string>();
    for (const name of PAGED) {
      const page = await ok<{ next: string | null }>(tenant, name, { query: { limit: '1' } });
      if (page.next !== null) next.set(name, page.next);
    }
    return {
      job: waiting,
      failed: ended,
      template: id,
      file: made.file.id,
      batch: batchId,
      run,
      snippet,
      report,
      pipelineRun,
      bulk,
      saved,
      mid: MIDS[tenant] ?? '',
      next,
    };
  }

  /** Waits for the live events of the batch's jobs: none of it is a guess. */
  async function batchOver(tenant: string, id: string): Promise<void> {
    const stream = await open(tenant, { query: { topics: 'job' } });
    const state = async () =>
      (await ok<{ state: string }>(tenant, 'getBatch', { params: { id } })).state;
    while ((await state()) !== 'FINISHED') await stream.more();
    await stream.close();
  }

  async function open(tenant: string, asked: Asked, role = 'operator') {
    const gone = new AbortController();
    const response = await fetch(
      `${baseUrl}/events?${new URLSearchParams(asked.query).toString()}`,
      {
        headers: { authorization: `Bearer ${await token(tenant, role)}`, ...asked.headers },
        signal: gone.signal,
      },
    );
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let text = '';
    const more = async (): Promise<void> => {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
      if (done) throw new Error(`the stream ended:\n${text}`);
      text += decoder.decode(value, { stream: true });
    };
    return {
      more,
      async until(pattern: RegExp): Promise<string> {
        while (!pattern.test(text)) await more();
        return text;
      },
      async close() {
        await reader?.cancel();
        gone.abort();
      },
    };
  }

  /** All that a tenant's operator can read of their things. */
  async function snapshot(tenant: string, things: Things): Promise<string[]> {
    const answers = await Promise.all([
      ...LISTS.map((name) => operator(tenant, name)),
      operator(tenant, 'getJob', { params: { id: things.job } }),
      operator(tenant, 'getJob', { params: { id: things.failed } }),
      operator(tenant, 'listBatchItems', { params: { id: things.batch } }),
      operator(tenant, 'downloadFile', { params: { id: things.file } }),
      operator(tenant, 'getSnippet', { params: { name: things.snippet } }),
    ]);
    // What a member has frozen of their own is theirs to add.
    const ofOthers = (text: string): string =>
      text.replaceAll(/\{"id":"bulk-\d+"[^[\]]*"by":"member@.*?"erasedAt":"[^"]*"\},?/g, '');
    return answers.map(({ status, text }) => `${status} ${ofOthers(text)}`);
  }

  return {
    issuer,
    started,
    call,
    token,
    operator,
    ok,
    open,
    furnish,
    snapshot,
    async close() {
      started.child.kill('SIGTERM');
      await started.ended;
      await issuer.close();
      await cloud.close();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
