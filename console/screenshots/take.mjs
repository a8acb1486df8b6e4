// npm run screenshots: the console on the sandbox with work in it, each page at two widths and in both themes.
//
//   npm run screenshots                    into .millrace/screenshots
//   npm run screenshots -- --into FOLDER --only overview,jobs --widths 1920,320 --themes dark

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { startPostgres } from '../../scripts/services.mjs';
import { PAGES } from './pages.mjs';
import { seed } from './seed.mjs';

const root = join(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    into: { type: 'string', default: join(root, '.millrace', 'screenshots') },
    only: { type: 'string' },
    widths: { type: 'string', default: '1440,360' },
    themes: { type: 'string', default: 'light,dark' },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'millrace-screenshots-'));
for (const name of ['reports', 'pipelines', 'examples'])
  cpSync(join(root, name), join(folder, name), { recursive: true });
cpSync(join(import.meta.dirname, 'jobs'), join(folder, 'jobs'), { recursive: true });
const postgres = await startPostgres({ settings: { fsync: 'off' } });
/** Replicas are called after their machine: in pictures, not after this one. */
const CALLED = `data:text/javascript,import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module'; os.hostname = () => 'prod-1'; syncBuiltinESMExports();`;
const server = spawn(process.execPath, ['--import', CALLED, join(root, 'server/dist/main.js')], {
  cwd: folder,
  env: {
    ...process.env,
    PORT: '0',
    DATABASE_URL: postgres.url,
    MILLRACE_DATA: join(folder, 'data'),
    MILLRACE_ENVIRONMENT: 'production',
    SALESFORCE_SANDBOX: 'true',
    XDG_STATE_HOME: join(folder, 'state'),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
try {
  await take(await addressOf(server));
} finally {
  await browser.close();
  server.kill('SIGKILL'); // what runs would be waited for
  await new Promise((resolve) => server.on('close', resolve));
  await postgres.remove();
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
  /** @type {(() => Promise<void>) | null} */
  let end = null;
  for (const width of values.widths.split(',').map(Number)) {
    for (const theme of /** @type {('light' | 'dark')[]} */ (values.themes.split(','))) {
      const context = await browser.newContext({
        viewport: { width, height: width < 720 ? 780 : width > 1600 ? 1080 : 900 },
        colorScheme: theme,
        locale: 'en-GB',
      });
      const sample = readFileSync(join(root, 'examples/invoice/data.json'), 'utf8');
      await context.addInitScript(
        `localStorage.setItem('millrace.sample.invoice', ${JSON.stringify(sample)})`,
      );
      const page = await context.newPage();
      await signIn(page, url);
      end ??= await seed(url, await tokenOf(page), postgres.url);
      for (const name of Object.keys(PAGES)) await shoot(page, url, name, `${width}-${theme}`);
      await context.close();
    }
  }
  await end?.();
  console.log(values.into);
}

/** @param {import('playwright-core').Page} page @param {string} url @param {string} name @param {string} look */
async function shoot(page, url, name, look) {
  const only = values.only?.split(',');
  const shot = PAGES[name];
  if (shot === undefined || (only !== undefined && !only.includes(name))) return;
  await page.goto(`${url}/console${shot.path}`);
  await page.locator('main#main h1').waitFor();
  try {
    await shot.act?.(page);
  } catch (error) {
    console.error(`${name}-${look}: ${error instanceof Error ? error.message : String(error)}`);
  }
  await page.waitForTimeout(1_500); // what is drawn moves into its place
  await page.screenshot({ path: join(values.into, `${name}-${look}.png`) });
}

/** @param {import('playwright-core').Page} page @returns {Promise<string>} */
async function tokenOf(page) {
  return JSON.parse(await page.evaluate("sessionStorage.getItem('millrace.session')")).access;
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
