import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stage, counting, openStage, scrollsAway, violations } from './stage.ts';

const JOBS = `
import { defineJob, done } from '@millrace/engine';
import { z } from 'zod';
export const sync = defineJob({
  kind: 'sync',
  input: z.object({
    region: z.enum(['north', 'south']),
    rows: z.int().min(1).default(3),
    tags: z.array(z.string()).default(['first']),
  }),
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
  stage = await openStage({ MILLRACE_DOCUMENTS: 'false' }, { 'jobs/sync.ts': JOBS });
  const page = await stage.open({ stays: true });
  const job = { kind: 'sync', key: 'one', data: { region: 'south' } };
  await stage.call(page, 'POST', '/jobs', job);
}, 180_000);
afterAll(() => stage.close());

test('JSON that is half typed is not sent, nor is what stood there before it', async () => {
  const page = await stage.open({ path: '/jobs/new?kind=sync' });
  const sent = counting(page, 'POST', /^\/jobs$/);
  await page.getByLabel('region').selectOption({ label: 'north' });
  const tags = page.getByLabel('tags');
  await tags.fill('["first", "sec');
  await page.getByLabel('Key').press('Enter');
  expect(await tags.and(page.locator(':invalid')).count()).toBe(1);
  await tags.fill('["first", "second"]');

  // All of it as JSON: the form is not shown again either, since it could not show what was typed.
  await page.locator('fieldset label', { hasText: 'JSON' }).click();
  const json = page.getByRole('textbox', { name: 'JSON' });
  const whole = await json.inputValue();
  await json.fill(whole.slice(0, -4));
  await page.locator('fieldset label', { hasText: 'Form' }).click();
  await page.getByLabel('Key').press('Enter');
  expect(await json.inputValue()).toBe(whole.slice(0, -4));
  expect(await page.getByRole('button', { name: 'Enqueue' }).isDisabled()).toBe(true);
  expect(sent()).toBe(0);
  await json.fill(whole);
  await page.getByLabel('Key').press('Enter');
  await page.getByText('Succeeded').first().waitFor();
  expect(sent()).toBe(1);
  expect(await page.locator('pre').first().textContent()).toContain('"second"');
}, 180_000);

test('an error is copied where browsers give a page no clipboard', async () => {
  const page = await stage.open({ path: '/jobs?phase=failed' });
  // As over plain HTTP from another machine.
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await page.getByRole('link', { name: 'one', exact: true }).click();
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByText('Error copied').waitFor();
  await page.goBack();
  const filter = page.getByLabel('Filter');
  await filter.click();
  await page.keyboard.press('Control+v');
  expect(await filter.inputValue()).toContain('Too many sessions');
}, 180_000);

test('a filter in the address that cannot be read is said, not left out', async () => {
  const page = await stage.open({ path: '/jobs?createdAfter=notadate&phase=failed' });
  await page.getByText('createdAfter=notadate').waitFor();
  expect(await page.locator('tr[data-row]').count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Show the page without it' }).click();
  await page.waitForURL('**/jobs?phase=failed');
  await page.getByRole('link', { name: 'one', exact: true }).waitFor();
  await page.getByLabel('Filter').fill('state:broken');
  await page.keyboard.press('Enter');
  await page.getByText('state: Write one of due').waitFor();
}, 180_000);

test('a view is saved for whoever made it, wherever they sign in', async () => {
  const user = 'viewer@sandbox';
  const page = await stage.open({ user, path: '/jobs?phase=failed&kind=sync' });
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByLabel('Name').fill('Failed syncs');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Failed syncs' }).waitFor();

  const elsewhere = await stage.open({ user, path: '/jobs' });
  await elsewhere.getByRole('link', { name: 'Failed syncs' }).click();
  await elsewhere.waitForURL('**/jobs?phase=failed&kind=sync');
  const admin = await stage.open({ path: '/jobs' });
  expect(await stage.call(admin, 'GET', '/saved')).toMatchObject({ saved: [] });

  const remove = elsewhere.getByRole('button', { name: 'Delete the view Failed syncs' });
  await remove.click();
  await elsewhere.getByText('Failed syncs deleted').waitFor();
  await elsewhere.getByRole('button', { name: 'Undo' }).click();
  await remove.waitFor();
}, 180_000);

describe('a list as long as after a day', () => {
  const KINDS = 'warehouse.sync,county.load,ledger.export,order.invoiced';
  const FAILED = 953; // of 20,000

  beforeAll(async () => {
    const history = readFileSync(new URL('history.sql', import.meta.url), 'utf8');
    await stage.sql(history, [20_000, '']);
  }, 180_000);

  /** Selects all matching jobs, and an action: the dialog says how many that are. */
  async function ask(page: Page, action: string, title: string): Promise<void> {
    await page.getByRole('checkbox', { name: 'All jobs of this page' }).check();
    const bar = page.getByRole('region', { name: 'Chosen jobs' });
    await bar.getByRole('button', { name: 'Select all matching' }).click();
    await bar.getByRole('button', { name: action }).click();
    await page.getByRole('dialog').getByRole('heading', { name: title }).waitFor();
  }

  test('has pages that can be gone back to, and counts that end somewhere', async () => {
    const page = await stage.open({ path: `/jobs?state=SUCCEEDED&kind=${KINDS}` });
    const rows = page.locator('tr[data-row]');
    const first = rows.first().locator('a');
    await page.locator('tr[data-row="49"]').waitFor();
    expect([await rows.count(), await first.textContent()]).toEqual([50, 'order-20000']);
    expect(await scrollsAway(page)).toBe(0);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForURL(/after=/);
    await page.getByRole('link', { name: 'order-20000' }).waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(50);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('link', { name: 'order-20000' }).waitFor();
    await ask(page, 'Delete', 'Delete more than 10,000 jobs?');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }, 180_000);

  test('takes an action through a reload; back and forward start none', async () => {
    const page = await stage.open({ path: '/jobs' });
    const failed = `${stage.url}/console/jobs?phase=failed&kind=${KINDS}`;
    await page.goto(failed);
    await ask(page, 'Retry', `Retry ${FAILED} jobs?`);
    await page.reload();
    await ask(page, 'Retry', `Retry ${FAILED} jobs?`);
    await page.goBack();
    await page.goForward();
    await page.locator('tr[data-row="49"]').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    const { bulk } = (await stage.call(page, 'GET', '/bulk?limit=2')) as {
      bulk: { state: string }[];
    };
    expect(bulk.map(({ state }) => state)).toEqual(['frozen', 'frozen']);

    await ask(page, 'Retry', `Retry ${FAILED} jobs?`);
    await page.getByRole('button', { name: `Retry ${FAILED} jobs` }).click();
    await page.waitForURL(/bulk=/);
    await page.reload();
    const strip = page.getByRole('region', { name: 'Bulk action' });
    await strip.getByText(`${FAILED} queued again.`).waitFor();
    await page.goBack();
    await page.goForward();
    await strip.getByText(`${FAILED} queued again.`).waitFor();
    await page.getByText('No matching jobs').waitFor();
    expect(await violations(page)).toEqual([]);
  }, 180_000);

  test('takes an action back', async () => {
    const page = await stage.open({ path: `/jobs?state=QUEUED&kind=${KINDS}` });
    await ask(page, 'Cancel', `Cancel ${FAILED} jobs?`);
    await page.getByRole('button', { name: `Cancel ${FAILED} jobs` }).click();
    const strip = page.getByRole('region', { name: 'Bulk action' });
    await strip.getByText(`${FAILED} canceled.`).waitFor();
    await strip.getByRole('button', { name: 'Undo' }).click();
    await strip.getByText(/undone/).waitFor();
    await page.locator('tr[data-row="49"]').waitFor();
  }, 180_000);
});

test('nothing broke, and the content security policy was never touched', () => {
  expect(stage.complaints).toEqual([]);
});
