import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import pg from 'pg';
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { bareDatabase } from '../../stores/postgres/test/databases.ts';
import { need } from '../../scripts/need.mjs';
import { type Started, startMain } from '../../server/test/process.ts';

await need('browser');
await need('build');
await need('console');

/**
 * The real server on a real Postgres with the simulators, and a real browser. One stage for a test file: `open` gives a page of
 * somebody who has signed in: by the issuer's own form the first time, with the session of that time later.
 */
export interface Stage {
  readonly url: string;
  /** Closed with the test, since a page that nobody looks at goes on asking; `stays`: with the stage. */
  open(params?: Visit): Promise<Page>;
  /** Calls the API as the user, with the token of a page. Bytes go as they are. */
  call(page: Page, method: string, path: string, body?: unknown): Promise<unknown>;
  /** On the database of the server: for what would take hours to come about. */
  sql(text: string, values?: readonly unknown[]): Promise<void>;
  /** What browsers complained about: errors of scripts and violations of the content security policy. */
  readonly complaints: string[];
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Also those that the browser says nothing about in its console. */
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  complain([location.pathname, event.violatedDirective, event.blockedURI, event.sourceFile].join(' ')));`;

export interface Visit {
  readonly user?: string;
  readonly path?: string;
  readonly width?: number;
  readonly dark?: boolean;
  readonly stays?: boolean;
  /** Signs in by the form, though this user has done so before. */
  readonly byForm?: boolean;
}

/** For machines that are busy: nothing is waited for that does not come. */
const PATIENCE_MS = 60_000;

/** Chromium talks to nobody but the server under test. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
];

/** What goes as it is instead of as JSON. */
export class Bytes {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  constructor(type: string, bytes: Uint8Array) {
    this.type = type;
    this.bytes = new Uint8Array(bytes);
  }
}

/** `files` of people's own, by their paths: `jobs/sync.ts`. */
export async function openStage(
  env: Record<string, string> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-console-'));
  mkdirSync(join(folder, 'jobs'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const database = await bareDatabase();
  const settings = {
    TMPDIR: tmpdir(),
    CONVERSION_WORKDIR: tmpdir(),
    MILLRACE_DATA: folder,
    DATABASE_URL: database.url,
    REPORTS_DATABASE_URL: database.url, // without one, a sample is made in an embedded database
    ...env,
  };
  let server: Started = startMain({ PORT: '0', ...settings }, folder);
  const [, url = ''] = await server.says(/"address":"([^"]+)"/);
  const browser: Browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: FLAGS,
  });
  const contexts: BrowserContext[] = [];
  const complaints: string[] = [];
  const sessions = new Map<string, string>();

  return {
    url,
    complaints,
    async open({
      user = 'admin@sandbox',
      path = '/',
      width = 1440,
      dark = false,
      stays = false,
      byForm = false,
    } = {}) {
      const context = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme: dark ? 'dark' : 'light',
        reducedMotion: 'reduce',
      });
      context.setDefaultTimeout(PATIENCE_MS);
      if (stays) contexts.push(context);
      else onTestFinished(() => context.close());
      // Nobody is there to choose a place for a large file: it becomes a download as in other browsers.
      await context.addInitScript('delete window.showSaveFilePicker');
      const page = await context.newPage();
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.exposeFunction('complain', (text: string) => complaints.push(text));
      await page.addInitScript(REPORT_VIOLATIONS);
      const session = sessions.get(user);
      if (session !== undefined && !byForm) await page.addInitScript(keep(session));
      await page.goto(`${url}/console${path}`);
      if (session === undefined || byForm) {
        await page.getByRole('button', { name: 'Sign in' }).click();
        await signInAs(page, user, passwordIn(folder));
      }
      await page.locator('main#main h1').waitFor();
      sessions.set(user, await sessionOf(page));
      return page;
    },
    async call(page, method, path, body) {
      const { access } = JSON.parse(await sessionOf(page)) as { access: string };
      const type = body instanceof Bytes ? body.type : 'application/json';
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${access}`,
          ...(body !== undefined && { 'content-type': type }),
        },
        ...(body !== undefined && {
          body: body instanceof Bytes ? body.bytes : JSON.stringify(body),
        }),
      });
      return response.json();
    },
    async sql(text, values = []) {
      const client = new pg.Client(database.url);
      await client.connect();
      await client.query(text, [...values]);
      await client.end();
    },
    async restart() {
      server.child.kill('SIGTERM');
      await server.ended;
      server = startMain({ PORT: new URL(url).port, ...settings }, folder);
      await server.says(/"address":"([^"]+)"/);
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await browser.close();
      server.child.kill('SIGTERM');
      await server.ended;
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const SESSION = 'millrace.session';

function sessionOf(page: Page): Promise<string> {
  return page.evaluate<string>(`sessionStorage.getItem('${SESSION}')`);
}

/** As in a tab that was signed in before. */
function keep(session: string): string {
  return `sessionStorage.getItem('${SESSION}') ?? sessionStorage.setItem('${SESSION}', ${JSON.stringify(session)})`;
}

async function signInAs(page: Page, user: string, password: string): Promise<void> {
  await page.getByLabel('Password').fill(password);
  await page.locator(`input[value="${user}"]`).check({ force: true });
  await page.getByRole('button', { name: 'Sign in' }).click();
}

function passwordIn(folder: string): string {
  const kept = JSON.parse(readFileSync(join(folder, 'sandbox', 'identity.json'), 'utf8')) as {
    password: string;
  };
  return kept.password;
}

/** What axe finds against WCAG 2.2 AA, each with where it is. */
export async function violations(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze();
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`,
    ),
  );
}

/** How far the page scrolls sideways, which no page may. */
export async function sideways(page: Page): Promise<number> {
  return page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}

/** How far the sheet around a page could be scrolled, by whatever goes to a place in it: what scrolls is within it. */
export async function scrollsAway(page: Page): Promise<number> {
  return page.evaluate<number>(
    "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('main#main'))",
  );
}

/** Counts what the page asks the service for from here on. */
export function counting(page: Page, method: string, path: RegExp): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (request.method() === method && path.test(new URL(request.url()).pathname)) count += 1;
  });
  return () => count;
}
