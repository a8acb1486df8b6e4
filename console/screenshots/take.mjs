// npm run screenshots: the console on the sandbox with work in it, each page at two widths and in both themes.
//
//   npm run screenshots                    into .millrace/screenshots
//   npm run screenshots -- --into FOLDER --only overview,jobs

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const root = join(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    into: { type: 'string', default: join(root, '.millrace', 'screenshots') },
    only: { type: 'string' },
    widths: { type: 'string', default: '1440,360' },
    themes: { type: 'string', default: 'light,dark' },
  },
});

/** @type {Readonly<Record<string, string>>} */
const PAGES = {
  overview: '/',
  jobs: '/jobs',
  'new-job': '/jobs/new',
  job: '/jobs/pg-2',
  documents: '/documents',
  queries: '/queries?run=run-1',
  reports: '/reports/timesheet-detail',
  'report-graph': '/reports?view=graph',
  pipelines: '/pipelines',
  operations: '/operations',
  schedules: '/operations?tab=schedules',
  settings: '/operations?tab=settings',
  welcome: '/welcome',
};

const folder = mkdtempSync(join(tmpdir(), 'millrace-screenshots-'));
for (const name of ['reports', 'pipelines', 'examples']) {
  cpSync(join(root, name), join(folder, name), { recursive: true });
}
cpSync(join(import.meta.dirname, 'jobs'), join(folder, 'jobs'), { recursive: true });
const server = spawn(process.execPath, [join(root, 'server/dist/main.js')], {
  cwd: folder,
  env: {
    ...process.env,
    PORT: '0',
    MILLRACE_DATA: join(folder, 'data'),
    SALESFORCE_SANDBOX: 'true',
    XDG_STATE_HOME: join(folder, 'state'),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const url = await addressOf(server);
  await take(url);
} finally {
  server.kill('SIGKILL'); // what runs would be waited for
  await new Promise((resolve) => server.on('close', resolve));
  rmSync(folder, { recursive: true, force: true });
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<string>} */
function addressOf(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.on('data', (chunk) => {
      said += chunk;
      const found = /"address":"([^"]+)"/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.on('close', () => reject(new Error(`The server ended:\n${said}`)));
  });
}

/** @param {string} url */
async function take(url) {
  mkdirSync(values.into, { recursive: true });
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const only = values.only?.split(',');
  let isSeeded = false;
  for (const width of values.widths.split(',').map(Number)) {
    for (const theme of /** @type {('light' | 'dark')[]} */ (values.themes.split(','))) {
      const context = await browser.newContext({
        viewport: { width, height: width < 720 ? 780 : 900 },
        colorScheme: theme,
      });
      const page = await context.newPage();
      await signIn(page, url);
      if (!isSeeded) await seed(page, url);
      isSeeded = true;
      for (const [name, path] of Object.entries(PAGES)) {
        if (only !== undefined && !only.includes(name)) continue;
        await page.goto(`${url}/console${path}`);
        await page.locator('main#main h1').waitFor();
        await page.waitForTimeout(2_000); // what is drawn moves into its place
        await page.screenshot({ path: join(values.into, `${name}-${width}-${theme}.png`) });
      }
      await context.close();
    }
  }
  await browser.close();
  console.log(values.into);
}

/** @param {import('playwright-core').Page} page @param {string} url */
async function signIn(page, url) {
  const { password } = JSON.parse(
    readFileSync(join(folder, 'data', 'sandbox', 'identity.json'), 'utf8'),
  );
  await page.goto(`${url}/console/`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Password').fill(password);
  await page.locator('input[value="admin@sandbox"]').check({ force: true });
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('main#main h1').waitFor();
}

/** Work of every kind, as a day would bring it. @param {import('playwright-core').Page} page @param {string} url */
async function seed(page, url) {
  const session = JSON.parse(await page.evaluate("sessionStorage.getItem('millrace.session')"));
  /** @param {string} path @param {unknown} body */
  const post = async (path, body) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${session.access}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
  for (let rows = 1; rows <= 18; rows++) {
    await post('/jobs', {
      kind: 'warehouse.sync',
      key: `stock-${rows}`,
      data: { region: 'north', rows },
    });
  }
  for (const name of ['ledger-q3', 'ledger-q2'])
    await post('/jobs', { kind: 'ledger.export', key: name, data: { chunks: 400 } });
  await post('/kinds/county.load/pause', { reason: 'the warehouse reloads until ten' });
  for (let county = 1; county <= 14; county++)
    await post('/jobs', { kind: 'county.load', data: { county } });
  await post('/runs', {
    sql: 'SELECT TOP 200 JobID, EmailName, FromName FROM _Job ORDER BY JobID',
    wait: 60,
  });
  await post('/reports/timesheet-detail/runs', { parameters: {}, wait: 60 });
  await post('/pipelines/monthly-statements/runs', {});
}
