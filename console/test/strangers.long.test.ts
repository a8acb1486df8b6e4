import { EventEmitter, once } from 'node:events';
import { startMarketingCloud } from '@millrace/simulator-marketing-cloud';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docx, p } from '../../docx/test/builder.ts';
import { need } from '../../scripts/need.mjs';
import { Bytes, type Stage, openStage } from './stage.ts';

/** Each user of the sandbox is a tenant of their own here: what the operator has is not there for the member. */

await need('office');

const JOB = `
import { defineJob } from '@millrace/engine';
import { z } from 'zod';
export const plan = defineJob({
  kind: 'plan',
  input: z.unknown(),
  public: true,
  retry: { backoff: 'steps', delays: [] },
  async run() { throw new Error('Aldermill is not for sale'); },
});
`;
const REPORT = "title: One\nsql: SELECT 1 AS id, 'Aldermill' AS name\nkey: id\npublic: true\n";
const PIPELINE = 'title: Opens\nsteps:\n  opens: { query: { sql: SELECT 1 AS Aldermill } }\n';
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const OWNER = 'operator@sandbox';

let stage: Stage;
let closeCloud: () => Promise<void>;
let stranger: Page;
/** Ids of what the operator has. */
const theirs: Record<string, string> = {};

beforeAll(async () => {
  const cloud = await startMarketingCloud({
    units: ['100001'],
    sample: false,
    runSql: async ({ target }) => ({ columns: target.map(({ name }) => name), rows: [] }),
  });
  closeCloud = () => cloud.close();
  stage = await openStage(
    {
      TENANT_CLAIM: 'preferred_username',
      CONVERSION_MAX_CONCURRENT: '1',
      MCE_AUTH_URL: cloud.origin,
      MCE_CLIENT_ID: 'millrace',
      MCE_CLIENT_SECRET: 'secret',
      MCE_MIDS: `${OWNER}=100001`,
      SHELL_QUERY_INITIAL_DELAY: '20ms',
      SHELL_QUERY_MAX_DELAY: '50ms',
    },
    { 'jobs/plan.ts': JOB, 'reports/one.yaml': REPORT, 'pipelines/opens.yaml': PIPELINE },
  );
  await furnish(await stage.open({ user: OWNER, stays: true }));
  stranger = await stage.open({ user: 'member@sandbox', stays: true });
}, 240_000);
afterAll(async () => {
  await stage.close();
  await closeCloud();
});

async function furnish(page: Page): Promise<void> {
  const post = async (path: string, body: unknown): Promise<string> => {
    const answer = (await stage.call(page, 'POST', path, body)) as { id?: string };
    expect(answer, path).not.toHaveProperty('code');
    return answer.id ?? '';
  };
  theirs['job'] = await post('/jobs', { kind: 'plan', key: 'aldermill', data: {} });
  await post('/templates/offer', new Bytes(DOCX, docx(p('Aldermill offers {{Name}}'))));
  theirs['batch'] = await post(
    '/documents/batch?templateId=offer&outputFormat=DOCX&outputFileName=Aldermill',
    new Bytes('text/csv', Buffer.from('Name\nAldermill\n')),
  );
  theirs['run'] = await post('/runs', { sql: 'SELECT 1 AS Aldermill' });
  theirs['report'] = await post('/reports/one/runs', { wait: 60 });
  theirs['pipeline'] = await post('/pipelines/opens/runs', {});
  theirs['bulk'] = await post('/bulk', { action: 'cancel', ids: [theirs['job']] });
}

/** A page as the stranger sees it, once it says all that is expected. */
async function seen(path: string, ...says: readonly (string | RegExp)[]): Promise<string> {
  await stranger.goto(`${stage.url}/console${path}`);
  const page = says.reduce(
    (found, hasText) => found.filter({ hasText }),
    stranger.locator('main#main'),
  );
  await page.waitFor();
  return stranger.evaluate<string>('document.body.innerText');
}

const LINKS = [
  ['job', (id: string) => `/jobs/${id}`, 'job_not_found'],
  ['batch', (id: string) => `/documents/batches/${id}`, 'batch_not_found'],
  ['run', (id: string) => `/queries?run=${id}`, 'run_not_found'],
  ['report', (id: string) => `/jobs/${id}`, 'job_not_found'],
  ['pipeline', (id: string) => `/pipelines/opens?run=${id}`, 'pipeline_run_not_found'],
  ['bulk', (id: string) => `/jobs?bulk=${id}`, 'bulk_not_found'],
  ['template', () => '/documents/templates/offer', 'template_not_found'],
] as const;

test.each(LINKS)('a link to another tenant’s %s leads to nothing', async (what, path, code) => {
  const text = await seen(path(theirs[what] ?? ''), code, /There is no /);
  expect(text).not.toMatch(/aldermill|operator@sandbox/i);
});

test.each([
  ['/jobs', 'No jobs yet'],
  ['/documents', 'No batches yet'],
  ['/documents?tab=templates', 'No templates yet'],
  ['/documents?tab=files', 'No file yet'],
  ['/reports/one', 'It has not run yet.'],
  ['/pipelines/opens', 'It has not run yet.'],
  ['/', 'Nothing needs attention.'],
])('%s has nothing of another tenant', async (path, says) => {
  const text = await seen(path, says);
  expect(text).not.toMatch(/aldermill|operator@sandbox/i);
});

/** Tells all that the live stream of a page brings. */
const HEAR = `
  const ask = window.fetch;
  window.fetch = async (...asked) => {
    const response = await ask(...asked);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
    const [ours, theirs] = response.body.tee();
    void (async () => {
      const decoder = new TextDecoder();
      for await (const bytes of ours) void hear(decoder.decode(bytes, { stream: true }));
    })();
    return new Response(theirs, response);
  };`;

test('the live stream of one tenant brings nothing of another', async () => {
  let heard = '';
  const listener = new EventEmitter();
  await stranger.exposeFunction('hear', (text: string) => {
    heard += text;
    listener.emit('heard');
  });
  await stranger.addInitScript(HEAR);
  await stranger.goto(`${stage.url}/console/jobs`);
  await stranger.getByText('Live', { exact: true }).waitFor();
  const enqueue = async (page: Page, key: string): Promise<string> => {
    const job = (await stage.call(page, 'POST', '/jobs', { kind: 'plan', key, data: {} })) as {
      id: string;
    };
    return job.id;
  };
  const owner = await stage.open({ user: OWNER, path: '/jobs' });
  const other = await enqueue(owner, 'aldermill-live');
  await owner.goto(`${stage.url}/console/jobs/${other}`);
  await owner.getByText('Aldermill is not for sale').first().waitFor();
  // What happened to the other one was before: the stream has it by now, if it has it at all.
  const own = await enqueue(stranger, 'own');
  while (!heard.includes(`"${own}"`) || !heard.includes('FAILED')) await once(listener, 'heard');
  expect(heard).not.toContain(`"${other}"`);
  expect(heard).not.toContain('aldermill');
  expect(heard).not.toContain(OWNER);
});

test('who it belongs to sees it', async () => {
  const owner = await stage.open({ user: OWNER, path: `/jobs/${theirs['job']}` });
  await owner.getByText('Aldermill is not for sale').first().waitFor();
});

test('nothing broke, and the content security policy was never touched', () => {
  expect(stage.complaints).toEqual([]);
});
