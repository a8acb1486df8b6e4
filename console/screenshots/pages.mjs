// Which pages there are pictures of, and what is done on a page before its picture.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ readonly path: string, readonly act?: (page: import('playwright-core').Page) => Promise<void> }} Shot */

const CANDIDATES = join(import.meta.dirname, '../../examples/offer-letter/candidates.csv');

/** @type {Readonly<Record<string, Shot>>} */
export const PAGES = {
  overview: { path: '/', act: atRest },
  jobs: { path: '/jobs' },
  'jobs-failed': { path: '/jobs?phase=failed,retrying&since=24h' },
  'jobs-bulk': {
    path: '/jobs?phase=failed',
    async act(page) {
      await page.locator('tr[data-row] input').first().check();
      const bar = page.getByRole('region', { name: 'Chosen jobs' });
      await bar.getByRole('button', { name: 'Select all matching' }).click();
      await bar.getByRole('button', { name: 'Retry' }).click();
      await page.locator('dialog table').waitFor();
    },
  },
  'new-job': { path: '/jobs/new' },
  job: {
    path: '/jobs?phase=retrying',
    async act(page) {
      await page.locator('tr[data-row] a').first().click();
      await page.waitForURL(/jobs\/pg-/);
    },
  },
  'job-running': {
    path: '/jobs?phase=running',
    async act(page) {
      await page
        .getByRole('link', { name: /ledger/ })
        .first()
        .click();
      await page.waitForURL(/jobs\/pg-/);
    },
  },
  documents: { path: '/documents' },
  templates: { path: '/documents?tab=templates' },
  files: { path: '/documents?tab=files' },
  studio: { path: '/documents/templates/invoice', act: painted },
  compare: {
    path: '/documents/templates/offer-letter',
    async act(page) {
      await page.getByRole('link', { name: 'Compare' }).first().click();
      await page.getByText(/changed regions?/).waitFor();
    },
  },
  batch: { path: '/documents/batches/batch-2', act: painted },
  'batch-files': { path: '/documents/new' },
  'batch-map': {
    path: '/documents/new?template=offer-letter',
    async act(page) {
      await page.locator('input[accept*=csv]').setInputFiles(CANDIDATES);
      await painted(page);
    },
  },
  'batch-problems': {
    path: '/documents/new?template=offer-letter',
    async act(page) {
      const text = readFileSync(CANDIDATES, 'utf8').replace('2026-11-30', 'end of month');
      const buffer = Buffer.from(text.replace('2027-01-04', ''));
      const sheet = { name: 'november.csv', mimeType: 'text/csv', buffer };
      await page.locator('input[accept*=csv]').setInputFiles(sheet);
      await page.getByText(/needs? attention/).waitFor();
    },
  },
  queries: { path: '/queries?run=run-1' },
  reports: { path: '/reports/timesheet-detail' },
  'report-graph': { path: '/reports?view=graph' },
  pipelines: { path: '/pipelines' },
  operations: { path: '/operations' },
  schedules: { path: '/operations?tab=schedules' },
  kinds: { path: '/operations?tab=kinds' },
  audit: { path: '/operations?tab=audit' },
  tenants: { path: '/operations?tab=tenants' },
  settings: { path: '/operations?tab=settings' },
  sandbox: { path: '/operations?tab=sandbox' },
  welcome: { path: '/welcome' },
  palette: {
    path: '/',
    async act(page) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('o');
    },
  },
};

/** @param {import('playwright-core').Page} page */
async function painted(page) {
  await page.locator('figure canvas').first().waitFor({ timeout: 60_000 });
}

/**
 * Shows the overview once its figures agree. The records of an org are counted once a minute and replicas report every few seconds, so
 * that while work starts and ends, the parts of a picture have three numbers of running jobs.
 *
 * @param {import('playwright-core').Page} page
 */
async function atRest(page) {
  for (let looks = 0; looks < 60; looks++) {
    if (await page.evaluate(agree)) {
      await page.reload();
      await page.locator('main#main h1').waitFor();
      await page.waitForTimeout(1_500);
      if (await page.evaluate(agree)) return;
    }
    await page.waitForTimeout(2_000);
  }
}

/** Runs in the page, with the session of its reader. */
async function agree() {
  const { access } = JSON.parse(sessionStorage.getItem('millrace.session') ?? '{}');
  const get = async (/** @type {string} */ path) =>
    (await fetch(path, { headers: { authorization: `Bearer ${access}` } })).json();
  const [{ running, waiting, replicas }, { states }, { jobs }] = await Promise.all(
    ['/overview', '/counts', '/jobs?state=PROCESSING&limit=50'].map(get),
  );
  const inFlight = (/** @type {{ inFlight: number, state?: string }[]} */ all) =>
    all.reduce((sum, each) => sum + (each.state === 'silent' ? 0 : each.inFlight), 0);
  const counted = [states.PROCESSING, jobs.length, inFlight(running.pools), inFlight(replicas)];
  // The menu counts by itself, a moment after the page.
  const shown = (/** @type {RegExp} */ pattern) =>
    Number(pattern.exec(document.body.innerText)?.[1] ?? 0);
  counted.push(shown(/Jobs\s+(\d+)/));
  const waits = [states.QUEUED, shown(/Waiting\s+(\d+)/)];
  return counted.every((n) => n === running.total) && waits.every((n) => n === waiting.total);
}
