import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { type Stage, openStage, violations } from './stage.ts';

/** The page of queries in an account with as many tables as the largest that was seen has. */

const TABLES = 3_000;

let stage: Stage;
let page: Page;
beforeAll(async () => {
  stage = await openStage({ SHELL_QUERY_INITIAL_DELAY: '50ms', SHELL_QUERY_MAX_DELAY: '200ms' });
  page = await stage.open({ path: '/', stays: true });
  // Marketing Cloud has a few; the answer gets the rest on its way. Fields are asked for by the name of a table.
  await page.route('**/catalog*', async (route) => {
    const url = new URL(route.request().url());
    const name = url.searchParams.get('dataExtension');
    if (name?.startsWith('Contact') === true) {
      const field = (each: string) => ({
        name: each,
        type: 'Text',
        maxLength: 50,
        isPrimaryKey: false,
        isRequired: false,
      });
      const fields = ['CampaignMember:Id', 'Email'].map(field);
      await route.fulfill({
        json: {
          mid: '1',
          mids: ['1'],
          dataExtensions: [{ name, customerKey: name, folders: [], fields }],
          dataViews: [],
          fetchedAt: new Date().toISOString(),
        },
      });
      return;
    }
    const answer = await route.fetch();
    const catalog = (await answer.json()) as { dataExtensions: object[] };
    const many = Array.from({ length: TABLES }, (_, index) => {
      const own = `Contact & Co ${index + 1}`;
      const folders = ['Data Extensions', ...(index < 10 ? [] : [`Year ${2000 + (index % 20)}`])];
      return { name: own, customerKey: own, folders, fields: null };
    });
    await route.fulfill({
      response: answer,
      json: name === null ? { ...catalog, dataExtensions: many.toReversed() } : catalog,
    });
  });
  await page.goto(`${stage.url}/console/queries`);
  await page.getByText(TABLES.toLocaleString('en'), { exact: true }).waitFor();
}, 240_000);
afterAll(() => stage.close());

async function write(sql: string): Promise<void> {
  await page.getByRole('textbox', { name: 'SQL' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(sql);
}

const offered = () => page.locator('.cm-tooltip-autocomplete li .cm-completionLabel');
async function picture(name: string): Promise<void> {
  const folder = process.env['MILLRACE_PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}

test('3,000 tables are sorted, found by a part of their names, and few are in the page', async () => {
  const aside = page.getByRole('complementary', { name: 'What can be queried' });
  const shown = aside.getByRole('button', { name: /^Contact/ });
  expect(await shown.first().textContent()).toBe('Contact & Co 1');
  expect(await shown.nth(1).textContent()).toBe('Contact & Co 2');
  expect(await aside.locator('*').count()).toBeLessThan(1_000);
  await picture('tables');
  await page.getByRole('textbox', { name: 'Find a table' }).fill('co 299');
  await aside.getByText('11 of 3,000').waitFor();
  await aside.getByRole('button', { name: 'Contact & Co 2999' }).click();
  await aside.getByText('CampaignMember:Id').waitFor();
  await picture('table-found');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('textbox', { name: 'Find a table' }).fill('');
  await aside.getByRole('button', { name: /^Year 2001/ }).click();
  await aside.getByRole('button', { name: 'Contact & Co 22', exact: true }).waitFor();
  await picture('folder');
  await aside.getByRole('button', { name: /^Year 2001/ }).click();
  await aside
    .getByRole('button', { name: 'Contact & Co 22', exact: true })
    .waitFor({ state: 'detached' });
});

/** In the words of the browser: counts what changes in the list of tables. */
const WATCH_TABLES = `
  const aside = document.querySelector('aside[aria-label="What can be queried"]');
  let changes = 0;
  new MutationObserver((seen) => (changes += seen.length))
    .observe(aside, { subtree: true, childList: true, attributes: true });
  window.tablesChanged = () => changes;`;

test('typing draws the list of tables not once', async () => {
  await write('SELECT TOP 1 JobID FROM _Job WHERE ');
  await page.evaluate(WATCH_TABLES);
  await page.keyboard.type('EmailName = 5 AND JobID > 3');
  await page.keyboard.press('Escape');
  expect(await page.evaluate<number>('tablesChanged()')).toBe(0);
});

test.each([
  ['SELECT s. FROM _Sent s', 'SELECT s.', 'SubscriberKey', 'alias'],
  [
    'SELECT [Contact & Co 7]. FROM [Contact & Co 7]',
    'SELECT [Contact & Co 7].',
    'CampaignMember:Id',
    'brackets',
  ],
])('%s offers the fields', async (sql, before, field, name) => {
  await write(sql);
  await page.keyboard.press('Control+Home');
  for (let at = 0; at < before.length; at += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Control+Space');
  await offered().filter({ hasText: field }).first().waitFor();
  await picture(`completion-${name}`);
  await page.keyboard.press('Escape');
});

test('a name in brackets that is picked ends with one bracket', async () => {
  await write('SELECT 1 AS n FROM ');
  await page.keyboard.type('[co 29');
  await offered().filter({ hasText: 'Contact & Co 29' }).first().click();
  const text = page.getByRole('textbox', { name: 'SQL' });
  expect(await text.textContent()).toMatch(/^SELECT 1 AS n FROM \[Contact & Co \d+\]$/);
});

test('an error has no green tick, and the history is searched', async () => {
  await write('SELECT TOP 2 JobID AS n FROM _Job WHERE 1 / 0 = 1');
  await page.keyboard.press('Control+Enter');
  const status = page.getByRole('status').filter({ hasText: 'calls' });
  await status.getByText('failed', { exact: true }).waitFor();
  await status.locator('li', { hasText: 'Error' }).locator('svg.text-failed').waitFor();
  await picture('failed');
  await write('SELECT TOP 3 JobID, EmailName FROM _Job');
  await page.keyboard.press('Control+Enter');
  await page.getByText('3 rows', { exact: true }).waitFor();
  await picture('rows');
  await page.getByRole('textbox', { name: 'Find in the history' }).fill('1 / 0');
  const history = page.getByRole('complementary', { name: 'What can be queried' });
  await history.getByText('EmailName').waitFor({ state: 'detached' });
  await picture('history');
});
