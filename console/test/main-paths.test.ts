import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docx, p } from '../../docx/test/builder.ts';
import { need } from '../../scripts/need.mjs';
import { Bytes, type Stage, counting, openStage, violations } from './stage.ts';

/**
 * What people do first, on one server and mostly in one tab. The rest is in the long tests beside this one: every page at three
 * sizes, lists as long as after a day, the keyboard alone, what a viewer and another tenant may not.
 */

await need('office');
await need('duckdb');

const JOBS = `
import { defineJob, done } from '@millrace/engine';
import { z } from 'zod';
export const sync = defineJob({
  kind: 'sync',
  input: z.object({ region: z.enum(['north', 'south']), rows: z.int().min(1).default(3) }),
  public: true,
  retry: { backoff: 'steps', delays: [] },
  async run({ data }) {
    if (data.region === 'south') throw new Error('Too many sessions');
    return done({ rows: data.rows });
  },
});
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
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

let stage: Stage;
/** The page of an administrator who opened a link and signed in. */
let page: Page;
beforeAll(async () => {
  stage = await openStage(
    {
      CONVERSION_MAX_CONCURRENT: '1',
      SHELL_QUERY_INITIAL_DELAY: '50ms',
      SHELL_QUERY_MAX_DELAY: '200ms',
    },
    { 'jobs/sync.ts': JOBS, 'reports/hours.yaml': REPORT, 'pipelines/opens.yaml': PIPELINE },
  );
  page = await stage.open({ path: '/jobs?phase=failed', stays: true });
}, 180_000);
afterAll(() => stage.close());

async function go(path: string): Promise<void> {
  await page.goto(`${stage.url}/console${path}`);
  await page.locator('main#main h1').waitFor();
}

test('who opens a link signs in and comes to that page', async () => {
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(
    '/console/jobs?phase=failed',
  );
  expect(await page.title()).toBe('Jobs · Millrace');
});

test('the first page loads at most 200 kB of gzipped scripts', async () => {
  await go('/');
  await page.getByRole('region', { name: 'Flow' }).waitFor();
  const loaded = await page.evaluate<string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('/assets/') && name.endsWith('.js'))",
  );
  const sizes = [...new Set(loaded.map((url) => basename(url)))].map(
    (name) => statSync(new URL(`../dist/assets/${name}.gz`, import.meta.url)).size,
  );
  expect(sizes.length).toBeGreaterThan(5);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
});

test('the palette goes to a page by its name', async () => {
  await go('/');
  await page.getByText('Live', { exact: true }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command palette' }).fill('failed');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/console/jobs?**');
  expect(page.url()).toContain('FAILED');
});

test('a job is enqueued by a form made from the schema of its kind', async () => {
  await go('/jobs/new?kind=sync');
  await page.getByLabel('region').selectOption({ label: 'north' });
  await page.getByRole('button', { name: 'Enqueue' }).click();
  await page.getByText('Succeeded').first().waitFor();
  expect(await page.locator('pre').first().textContent()).toContain('"north"');
}, 180_000);

test('failed jobs are retried in bulk, after the server has frozen and counted them', async () => {
  await go('/jobs');
  for (const key of ['one', 'two', 'three']) {
    await stage.call(page, 'POST', '/jobs', { kind: 'sync', key, data: { region: 'south' } });
  }
  await page.goto(`${stage.url}/console/jobs?phase=failed`);
  for (const key of ['one', 'two', 'three'])
    await page.getByRole('link', { name: key, exact: true }).waitFor();
  await page.getByRole('checkbox', { name: 'All jobs of this page' }).check();
  await page
    .getByRole('region', { name: 'Chosen jobs' })
    .getByRole('button', { name: 'Retry' })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'Retry 3 jobs?' }).waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Retry 3 jobs' }).click();
  await page.getByText('3 jobs are being queued again').waitFor();
}, 180_000);

test('a failed job shows its error and stack, and a link to it is the same for who opens it', async () => {
  await go('/jobs?phase=failed');
  await page.getByRole('link', { name: 'one', exact: true }).click();
  await page.getByText('Too many sessions').first().waitFor();
  expect(await violations(page)).toEqual([]);
  const other = await stage.open({ path: new URL(page.url()).pathname.replace('/console', '') });
  await other.getByText('Too many sessions').first().waitFor();
  const retries = counting(page, 'POST', /\/retry$/);
  await page.getByRole('button', { name: /^Retry/ }).dblclick();
  await page.getByText('Queued again', { exact: true }).waitFor();
  expect(retries()).toBe(1);
}, 180_000);

test('a key that is pressed three times retries once; a cancel of what had failed is not taken back by running it', async () => {
  await go('/jobs');
  const body = { kind: 'sync', data: { region: 'south' } };
  const { id } = (await stage.call(page, 'POST', '/jobs', body)) as { id: string };
  await page.goto(`${stage.url}/console/jobs/${id}`);
  await page.getByText('It failed for good').waitFor();
  let retries = 0;
  // Held until all three keys are pressed.
  await page.route('**/retry', async (route) => {
    retries += 1;
    await page.keyboard.press('r');
    await page.keyboard.press('r');
    await route.continue();
  });
  await page.keyboard.press('r');
  await page.getByText('Queued again', { exact: true }).waitFor();
  await page.getByText('2 executions kept').waitFor();
  expect(retries).toBe(1);
  await page.unroute('**/retry');
  await page.getByRole('button', { name: 'Cancel' }).click();
  const said = page.getByRole('status').getByText('Canceled', { exact: true });
  await said.waitFor();
  expect(await said.locator('..').getByRole('button', { name: 'Undo' }).count()).toBe(0);
}, 180_000);

test('a viewer sees the list and cannot act, and is told why', async () => {
  const theirs = await stage.open({ user: 'viewer@sandbox', path: '/jobs?phase=failed' });
  await theirs.getByRole('link', { name: 'one', exact: true }).click();
  const retry = theirs.getByRole('button', { name: /Retry/ });
  await retry.waitFor();
  expect(await retry.getAttribute('title')).toContain('This needs the role member');
  await retry.click({ force: true }); // the browser itself would let a person do it
  expect(await stage.call(theirs, 'GET', '/audit')).toMatchObject({ code: 'role_missing' });
}, 180_000);

test('a query is typed, checked at its place, run, sorted and exported, and is there after a reload', async () => {
  await go('/queries');
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
  await go('/reports/hours');
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
  await go('/pipelines/opens');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForURL(/run=/);
  await page.getByRole('table', { name: 'Steps' }).getByText('done').waitFor();
  await page.getByRole('table', { name: 'Runs' }).getByText('Succeeded').waitFor();
  expect(await violations(page)).toEqual([]);
}, 180_000);

test('a spreadsheet becomes documents, is corrected where it failed, and is one file in the end', async () => {
  await go('/documents');
  const template = docx(p('Dear {{Name}}, our offer stands until {{date AnswerBy "long"}}.'));
  await stage.call(page, 'POST', '/templates/offer', new Bytes(DOCX, template));
  await page.getByRole('link', { name: 'New batch' }).first().click();
  await page.getByLabel('Existing template').selectOption('offer');
  await page.locator('input[accept*=csv]').setInputFiles({
    name: 'november.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Name,Answer until\nMara Lindqvist,2026-11-30\nSaoirse O’Neill,\n'),
  });
  await page.getByRole('button', { name: 'Yes, AnswerBy is right' }).click();
  await page.getByText('1 ready, 1 needs attention').waitFor();
  await page.getByRole('img', { name: 'Row 2, page 1 of 1' }).waitFor();
  await page.getByText('PDF options').click();
  await page.getByLabel('Archive').selectOption('PDF/A-2b');
  await page.getByLabel('Watermark').fill('DRAFT');
  const runs = counting(page, 'POST', /^\/documents\/batch$/);
  const sent = page.waitForRequest((request) => request.url().includes('/documents/batch?'));
  await page.getByRole('button', { name: /^Run 2 rows/ }).dblclick();
  expect(new URL((await sent).url()).search).toMatch(/pdfA=2b&watermark=DRAFT/);
  await page.waitForURL('**/documents/batches/*');
  expect(runs()).toBe(1);
  await page.getByText('1 failed', { exact: true }).waitFor();
  await page.getByLabel('AnswerBy of row 2').fill('2026-12-15');
  await page.getByRole('button', { name: 'Run 1 corrected row' }).click();
  await page.getByText('Finished', { exact: true }).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'One PDF' }).click();
  expect((await download).suggestedFilename()).toMatch(/^batch-\d+\.pdf$/);
}, 180_000);

test('a page stays when the server is restarted, and is live again', async () => {
  await go('/');
  await page.getByText('Live', { exact: true }).waitFor();
  await stage.restart();
  await page.getByText('Live', { exact: true }).waitFor({ timeout: 30_000 });
}, 180_000);

test('nothing broke, and the content security policy was never touched', () => {
  expect(stage.complaints).toEqual([]);
});
