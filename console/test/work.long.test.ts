import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, openStage, violations } from './stage.ts';

/** Operations, and what a viewer may not. That queries, reports and pipelines run is in main-paths.test.ts. */

const JOB = `
import { defineJob, done } from '@millrace/engine';
import { z } from 'zod';
export const greet = defineJob({ kind: 'greet', input: z.object({ name: z.string() }), public: true, run: async () => done() });
`;
const REPORT = `title: Hours
parameters:
  month: { type: month, default: last month }
sql: SELECT 1 AS id, :month AS since
key: id
public: true
`;
const PIPELINE =
  'title: Opens\nsteps:\n  opens: { query: { sql: SELECT TOP 3 JobID FROM _Job } }\n';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage(
    { MILLRACE_DOCUMENTS: 'false' },
    { 'jobs/greet.ts': JOB, 'reports/hours.yaml': REPORT, 'pipelines/opens.yaml': PIPELINE },
  );
}, 180_000);
afterAll(() => stage.close());

test('a kind is held back with why, which others see, and resumed from the overview', async () => {
  const page = await stage.open({ path: '/operations?tab=kinds' });
  const row = page.getByRole('row', { name: /greet/ });
  await row.getByRole('button', { name: 'Pause' }).click();
  await page.getByLabel('Why').fill('the warehouse reloads');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await row.getByText('the warehouse reloads').waitFor();
  await stage.call(page, 'POST', '/jobs', { kind: 'greet', data: { name: 'Ada' } });
  const other = await stage.open({ user: 'operator@sandbox' });
  await other.getByText('greet is paused').waitFor();
  await other.getByText(/the warehouse reloads/).waitFor();
  await other.getByRole('button', { name: 'Resume' }).click();
  await other.getByText('greet runs again').waitFor();
  await page.goto(`${stage.url}/console/operations?tab=audit`);
  await page.getByText('pauseKind').first().waitFor();
  await page.goto(`${stage.url}/console/operations`);
  await page
    .getByRole('table', { name: 'Replicas' })
    .getByRole('button', { name: 'Drain' })
    .waitFor();
}, 180_000);

/** What is there for others, and what a viewer reads beside it. */
const CLOSED = [
  ['/jobs/new?kind=greet', 'Enqueue'],
  ['/queries', 'Run'],
  ['/reports/hours', 'Run'],
  ['/pipelines/opens', 'Run'],
  ['/operations', 'Drain'],
  ['/operations?tab=kinds', 'Pause'],
] as const;

test('a viewer can do nothing, and is told why beside each control', async () => {
  const page = await stage.open({ user: 'viewer@sandbox' });
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`);
  });
  for (const [path, name] of CLOSED) {
    await page.goto(`${stage.url}/console${path}`);
    const button = page.getByRole('button', { name: new RegExp(`^${name}`) }).first();
    await button.waitFor();
    expect({ path, why: await whyOf(page, name) }).toEqual({
      path,
      why: expect.stringMatching(/^This needs the role \w+; you are viewer\.$/),
    });
    await button.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
  }
  await page.goto(`${stage.url}/console/operations?tab=audit`);
  await page.getByText('role_missing').first().waitFor();
  expect(sent).toEqual([]);
}, 180_000);

async function whyOf(page: Page, name: string): Promise<string | null> {
  const button = page.getByRole('button', { name: new RegExp(`^${name}`) }).first();
  return (await button.getAttribute('aria-disabled')) === 'true'
    ? button.getAttribute('title')
    : 'it is not disabled';
}

test('nothing broke, and the content security policy was never touched', () => {
  expect(stage.complaints).toEqual([]);
});
