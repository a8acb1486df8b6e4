import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, openStage, violations } from './stage.ts';

/** Queries, reports, pipelines and operations: what people do there first, and what a viewer may not. */

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
    {
      MILLRACE_DOCUMENTS: 'false',
      SHELL_QUERY_INITIAL_DELAY: '200ms',
      SHELL_QUERY_MAX_DELAY: '500ms',
    },
    { 'jobs/greet.ts': JOB, 'reports/hours.yaml': REPORT, 'pipelines/opens.yaml': PIPELINE },
  );
}, 180_000);
afterAll(() => stage.close());

test('a query is typed, checked at its place, run, sorted and exported, and is there after a reload', async () => {
  const page = await stage.open({ path: '/queries' });
  const editor = page.getByRole('textbox', { name: 'SQL' });
  await editor.click();
  const write = async (sql: string): Promise<void> => {
    await page.keyboard.press('Control+a');
    // Over a selection the browser itself would write what the policy refuses: a style of its own.
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(sql);
  };
  await write('SELECT TOP 5 JobID, EmailName FORM _Job');
  await page.locator('.cm-lintRange-error').first().waitFor();
  await write('SELECT TOP 5 JobID, EmailName FROM _Job');
  await page.locator('.cm-lintRange-error').first().waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Enter');
  await page.getByText('5 rows', { exact: true }).waitFor();
  const grid = page.getByRole('region', { name: 'Rows of the result' });
  await grid.getByRole('button', { name: /JobID/ }).click();
  await grid.locator('th[aria-sort=ascending]').waitFor();
  expect(await violations(page)).toEqual([]);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'csv' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.csv$/);
  await page.reload();
  await page.getByText('5 rows', { exact: true }).waitFor();
}, 180_000);

test('a report runs by a form made from its parameters, and gives a file', async () => {
  const page = await stage.open({ path: '/reports/hours' });
  await page.getByLabel(/month/i).fill('2026-01');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('table', { name: 'Runs' }).getByText('Succeeded').waitFor();
  await page.getByText('month 2026-01').waitFor();
  expect(await violations(page)).toEqual([]);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toMatch(/hours.*\.csv$/);
}, 180_000);

test('a pipeline runs with live state on its steps', async () => {
  const page = await stage.open({ path: '/pipelines/opens' });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForURL(/run=/);
  await page.getByRole('table', { name: 'Steps' }).getByText('done').waitFor();
  await page.getByRole('table', { name: 'Runs' }).getByText('Succeeded').waitFor();
  expect(await violations(page)).toEqual([]);
}, 180_000);

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
