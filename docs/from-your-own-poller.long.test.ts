import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMarketingCloud } from '@millrace/marketing-cloud';
import { startMarketingCloud } from '@millrace/simulator-marketing-cloud';
import { startSalesforce } from '@millrace/simulator-salesforce';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../lab/chaos/test/factory.ts';
import { docx, p } from '../docx/test/builder.ts';
import { need } from '../scripts/need.mjs';
import { startRedis } from '../scripts/services.mjs';
import { startMain, startNode } from '../server/test/process.ts';
import { type Guide, query, startGuide } from './test/moving.ts';
import { pollOnce, signIn } from './test/old/docgen-poller.ts';
import { TABLES as REPORT_JOBS, oldReports } from './test/old/report-jobs.ts';
import { TABLES as RUNS, oldShellQueries } from './test/old/shell-query.ts';
import { METADATA } from './test/org.ts';
import { root } from './test/tree.ts';

/** The three old designs and what follows them, one after the other on the same records, Redis and tables. */

await need('redis programs');
await need('office');

const APP = { clientId: 'docgen', secret: 'a-secret-of-this-test' };
/** How long a query runs in Marketing Cloud, by its clock. */
const RUN_MS = 300_000;
const NO_WORKLOADS = {
  MILLRACE_DOCUMENTS: 'false',
  MILLRACE_QUERIES: 'false',
  MILLRACE_REPORTS: 'false',
  MILLRACE_PIPELINES: 'false',
};

let guide: Guide;
beforeAll(async () => {
  guide = await startGuide('docs/from-your-own-poller.md', ['bullmq', 'ioredis']);
}, 120_000);
afterAll(() => guide.remove());
beforeEach(async () => {
  await guide.reset();
  await query(guide.url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
});

/** A server with a folder of its own, until the end of the test. Gives what the command line needs to reach it. */
async function serve(name: string, env: Record<string, string>): Promise<Record<string, string>> {
  const folder = join(guide.project.folder, name);
  await mkdir(folder, { recursive: true });
  const server = startMain({ PORT: '0', NODE_ENV: 'test', ...env }, folder);
  onTestFinished(async () => {
    // In order: LibreOffice leaves a folder behind otherwise.
    server.child.kill('SIGTERM');
    await server.ended;
  });
  const [url] = await server.says(/http:\/\/127\.0\.0\.1:\d+/);
  return { MILLRACE_URL: url, XDG_STATE_HOME: join(folder, 'state') };
}

async function millrace(words: string[], env: Record<string, string>): Promise<string> {
  const args = [join(root, 'cli/bin/millrace.js'), ...words];
  const ran = startNode(args, env, guide.project.folder);
  if ((await ran.ended) !== 0) throw new Error(ran.output());
  return ran.output();
}

function documents(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function lines(program: string, to: string, env: Record<string, string>): Promise<string> {
  const text = await guide.project.node(program, { env });
  const file = join(guide.project.folder, to);
  await writeFile(file, text);
  return file;
}

describe('documents on Salesforce', () => {
  it('records that the old poller left are made once, by two replicas without a Postgres', async () => {
    const salesforce = await startSalesforce({
      objects: join(METADATA, 'objects'),
      apps: [APP],
      apex: false,
    });
    onTestFinished(() => salesforce.close());
    const { org } = salesforce;
    const templateId = await org.insert('ContentVersion', {
      Title: 'Letter',
      PathOnClient: 'letter.docx',
      VersionData: docx(p('Dear {{Name}}')).toString('base64'),
    });
    await org.insert('Docgen_Template__c', { Name: 'Letter', ContentVersionId__c: templateId });
    const add = async (name: string, fields: object = {}) => {
      const parent = await org.insert('Account', { Name: name });
      const request = {
        templateId,
        outputFileName: name,
        outputFormat: 'DOCX',
        data: { Id: parent, Name: name },
        parents: { AccountId: parent },
      };
      const RequestJSON__c = JSON.stringify(request);
      return org.insert('Generated_Document__c', {
        Status__c: 'QUEUED',
        RequestJSON__c,
        ...fields,
      });
    };
    const old = await signIn(salesforce.origin, APP.clientId, APP.secret);
    const made = await add('made there', { Priority__c: 9 });
    const failed = await add('failed there', { Priority__c: 8 });
    const died = await add('its worker died', { Priority__c: 7 });
    const later = await add('due in an hour', {
      ScheduledRetryTime__c: new Date(Date.now() + 3_600_000),
      Attempts__c: 2,
    });
    const waits: string[] = [];
    for (let number = 1; number <= 12; number += 1) waits.push(await add(`waits ${number}`));
    await pollOnce(old, 3, (request) => {
      const { outputFileName: name } = request as { outputFileName: string };
      if (name === 'failed there') throw new Error('LibreOffice is away.');
      return name === 'made there' ? templateId : null;
    });
    expect(org.record(died)).toMatchObject({ Status__c: 'PROCESSING' });
    const asItWas = org.record(made);
    // The lock of the one passes, and the minute until the other is tried again.
    salesforce.advance(150_000);

    const env = {
      ...NO_WORKLOADS,
      MILLRACE_DOCUMENTS: 'true',
      CONVERSION_MAX_CONCURRENT: '1',
      SALESFORCE_LOGIN_URL: salesforce.loginUrl,
      SALESFORCE_CLIENT_ID: APP.clientId,
      SALESFORCE_CLIENT_SECRET: APP.secret,
      POLLER_INTERVAL_MS: '100',
      POLLER_IDLE_INTERVAL_MS: '100',
    };
    const replicas = await Promise.all([serve('first', env), serve('second', env)]);
    const all = [failed, died, ...waits];
    await until(async () => all.every((id) => org.record(id)?.['Status__c'] === 'SUCCEEDED'));

    expect(org.record(failed)).toMatchObject({ Attempts__c: 1, Error__c: null });
    expect(org.record(made)).toEqual(asItWas);
    expect(org.record(later)).toMatchObject({ Status__c: 'QUEUED', Attempts__c: 2 });
    const files = org.files().map(({ title }) => title);
    expect(files.toSorted()).toEqual(
      [
        'Letter',
        'failed there',
        'its worker died',
        ...waits.map((_, at) => `waits ${at + 1}`),
      ].toSorted(),
    );
    // Both see what is in the org; a pause is of one alone.
    const [first, second] = replicas;
    const list = (server: Record<string, string>) => millrace(['jobs', '--all', '-q'], server);
    expect(await list(first)).toBe(await list(second));
    await millrace(['pause', 'document.salesforce'], first);
    const kinds = (server: Record<string, string>) => millrace(['kinds'], server);
    expect(await kinds(first)).toContain('paused');
    expect(await kinds(second)).not.toContain('paused');
  }, 600_000);
});

describe('shell queries in BullMQ', () => {
  it('runs, snippets and live polls go over, and no query is started twice', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.remove());
    const cloud = await startMarketingCloud({
      sample: false,
      runMs: RUN_MS,
      runSql: async ({ target }) => ({
        columns: target.map(({ name }) => name),
        rows: [Object.fromEntries(target.map(({ name }) => [name, 'sub-1']))],
      }),
    });
    onTestFinished(() => cloud.close());
    const account = { authUrl: cloud.origin, clientId: 'millrace', clientSecret: 'secret' };
    const client = createMarketingCloud(account, {
      log: { info() {}, warn() {}, error() {} },
      onCall() {},
    });
    onTestFinished(() => client.close());
    await query(guide.url, RUNS);
    const old = oldShellQueries({
      databaseUrl: guide.url,
      redisUrl: redis.url,
      mid: '100001',
      unit: client.businessUnit('100001'),
    });
    onTestFinished(() => old.close());
    const stateOf = async (id: string) =>
      (
        await query<{ status: string; task: string | null }>(
          guide.url,
          'SELECT status, task_id AS task FROM shell_query_runs WHERE id = $1',
          [id],
        )
      )[0];

    const sql = 'SELECT SubscriberKey FROM _Subscribers';
    let worker = old.work();
    const over = await old.submit({ sql, userId: 'ada' });
    await until(async () => (await stateOf(over))?.status === 'running');
    cloud.advance(RUN_MS);
    await until(async () => (await stateOf(over))?.status === 'ready');
    const live = await old.submit({ sql, userId: 'ada', snippet: 'subscribers' });
    await until(async () => (await stateOf(live))?.status === 'running');
    await worker.close();
    const waits = await old.submit({ sql, userId: 'bob' });
    await query(
      guide.url,
      `INSERT INTO snippets VALUES (gen_random_uuid(), '', 'ada', 'subscribers', 'SELECT SubscriberKey FROM _Subscribers', true)`,
    );

    const settings = {
      ...NO_WORKLOADS,
      MILLRACE_QUERIES: 'true',
      DATABASE_URL: guide.url,
      MCE_AUTH_URL: cloud.origin,
      MCE_CLIENT_ID: 'millrace',
      MCE_CLIENT_SECRET: 'secret',
      MCE_MIDS: '100001',
      SHELL_QUERY_INITIAL_DELAY: '50ms',
      SHELL_QUERY_ROWSET_READY_INITIAL_DELAY: '50ms',
    };
    await millrace(['migrate'], settings);
    const from = { OLD_DATABASE_URL: guide.url, REDIS_URL: redis.url };
    const file = await lines('export-queries.ts', 'queries.jsonl', from);
    expect(await millrace(['import', file, '-q'], settings)).toBe(
      `query ${over} run-1\nquery ${live} run-2\nquery ${waits} run-3\nsnippet subscribers subscribers\n`,
    );
    expect(await millrace(['import', file], settings)).toContain('Added 0, there already 4');
    // Nobody polls: what is under the old name is gone, and its worker has nothing to do.
    await old.queue.obliterate({ force: true });
    worker = old.work();
    onTestFinished(() => worker.close());

    const server = await serve('queries', settings);
    const shown = async () => {
      const runs = documents(await millrace(['runs', '--json'], server));
      return runs.map(({ id, status, rowCount }) => [id, status, rowCount]);
    };
    const tasks = () => cloud.unit('100001').tasks();
    await until(async () => tasks().length === 3);
    cloud.advance(RUN_MS);
    const ready = [3, 2, 1].map((number) => [`run-${number}`, 'ready', 1]);
    await until(async () => JSON.stringify(await shown()) === JSON.stringify(ready));
    const results = await millrace(['runs', 'results', 'run-2'], server);
    expect(results).toContain('sub-1');
    expect(tasks()).toHaveLength(3);
    // Those of the old design too.
    await until(async () => cloud.unit('100001').queries().length === 0);
  }, 600_000);
});

describe('report jobs in a table', () => {
  it('what waits is done there, the history goes over, and the rules hold as files', async () => {
    await query(guide.url, REPORT_JOBS);
    await query(
      guide.url,
      `INSERT INTO dependency_rules (child_report, parent_reports, match_parameter)
       VALUES ('daily-summary', '{timesheets,payments}', 'business_date'), ('audit', '{payments}', 'business_date')`,
    );
    const old = oldReports(guide.url);
    onTestFinished(() => old.close());
    const on = (day: string) => ({ business_date: `2026-01-${day}` });
    await old.submit({ id: 'JOB_001', report: 'timesheets', parameters: on('30') });
    await old.submit({ id: 'JOB_002', report: 'payments', parameters: on('30') });
    await old.submit({ id: 'JOB_003', report: 'broken', parameters: on('30') });
    await old.submit({ id: 'JOB_004', report: 'timesheets', parameters: on('31') });
    const env = { OLD_DATABASE_URL: guide.url };
    await expect(guide.project.node('export-reports.ts', { env })).rejects.toThrow(
      '4 jobs are not over',
    );
    const count = (report: string): number => {
      if (report === 'broken') throw new Error('No such table.');
      return 1_204;
    };
    while ((await old.pollAndDispatch(count)) > 0);

    const settings = { ...NO_WORKLOADS, MILLRACE_REPORTS: 'true', DATABASE_URL: guide.url };
    await millrace(['migrate'], settings);
    const file = await lines('export-reports.ts', 'reports.jsonl', env);
    const imported = await millrace(['import', file, '-q'], settings);
    expect(imported.match(/^report JOB_00\d\S* pg-\d+$/gm)).toHaveLength(6);
    const server = await serve('reports', settings);
    const runs = documents(await millrace(['report', 'list', '--json'], server));
    expect(runs.find(({ correlationId }) => correlationId === 'JOB_003')).toMatchObject({
      state: 'FAILED',
      error: { message: 'Error: No such table.' },
    });
    expect(runs.filter(({ report }) => report === 'daily-summary')).toMatchObject([
      { state: 'SUCCEEDED', submitter: 'ada', parameters: on('30') },
    ]);

    // Each file with its rule, as it was printed, and with the cron of Spring.
    const printed = await guide.project.node('rules.ts', { env });
    const folder = join(guide.project.folder, 'checked');
    await mkdir(folder, { recursive: true });
    const [, ...rules] = printed.split(/^# (\S+)\n/m);
    const report =
      'parameters: { business_date: date }\nsql: SELECT 1 AS id WHERE :business_date < current_date\nkey: id\npublic: true\n';
    const schedule =
      'schedule: { cron: 0 0 6 * * MON-FRI, as: nightly-exports, parameters: { business_date: yesterday } }\n';
    const files: Record<string, string> = {
      'services.yaml': 'nightly-exports: { title: Nightly, roles: [operator] }\n',
      'timesheets.yaml': `title: Timesheets\n${report}${schedule}`,
      'payments.yaml': `title: Payments\n${report}${schedule}`,
    };
    for (let at = 0; at < rules.length; at += 2)
      files[rules[at] ?? ''] = `title: Child\n${report}${rules[at + 1]}`;
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['daily-summary.yaml', 'audit.yaml']),
    );
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const checked = await millrace(['reports', 'check', folder], {});
    expect(checked).not.toMatch(/:\d+:\d+/);
  }, 600_000);
});
