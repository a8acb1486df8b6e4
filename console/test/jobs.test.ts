import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, openStage, violations } from './stage.ts';

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

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ MILLRACE_DOCUMENTS: 'false' }, { 'sync.ts': JOBS });
}, 180_000);
afterAll(() => stage.close());

test('a job is enqueued by a form made from the schema of its kind', async () => {
  const page = await stage.open({ path: '/jobs/new?kind=sync' });
  await page.getByLabel('region').selectOption({ label: 'north' });
  await page.getByRole('button', { name: 'Enqueue' }).click();
  await page.getByText('Succeeded').first().waitFor();
  expect(await page.locator('pre').first().textContent()).toContain('"north"');
}, 60_000);

test('failed jobs are retried in bulk, after the server has frozen and counted them', async () => {
  const page = await stage.open({ path: '/jobs' });
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
}, 60_000);

test('a failed job shows its error and stack, and a link to it is the same for who opens it', async () => {
  const page = await stage.open({ path: '/jobs?phase=failed' });
  await page.getByRole('link', { name: 'one', exact: true }).click();
  await page.getByText('Too many sessions').first().waitFor();
  expect(await violations(page)).toEqual([]);
  const other = await stage.open({ path: new URL(page.url()).pathname.replace('/console', '') });
  await other.getByText('Too many sessions').first().waitFor();
}, 60_000);

test('a viewer sees the list and cannot act, and is told why', async () => {
  const page = await stage.open({ user: 'viewer@sandbox', path: '/jobs?phase=failed' });
  await page.getByRole('link', { name: 'one', exact: true }).click();
  const retry = page.getByRole('button', { name: /Retry/ });
  await retry.waitFor();
  expect(await retry.getAttribute('title')).toContain('This needs the role member');
  await retry.click({ force: true }); // the browser itself would let a person do it
  expect(await stage.call(page, 'GET', '/audit')).toMatchObject({ code: 'role_missing' });
}, 60_000);
