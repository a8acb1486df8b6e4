import { readFileSync, readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { type Browser, type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveSite } from '../server/src/docs/site.ts';
import { type BuiltFiles, readBuilt } from '../server/src/http/built-files.ts';
import { SECURITY_HEADERS } from '../server/src/http/headers.ts';
import { need } from '../scripts/need.mjs';
import { pagesOf, sidebar } from './site/pages.mjs';
import { filesOf } from './test/tree.ts';

/** The documentation as `npm run docs` builds it, in a browser, under the policy that the server sends with it. */

await need('site');
await need('browser');

let files: BuiltFiles;
const folder = join(import.meta.dirname, 'site/dist');
let app: FastifyInstance;
let browser: Browser;
let url: string;
const complaints: string[] = [];
const pages = pagesOf();

beforeAll(async () => {
  files = readBuilt(folder) ?? new Map();
  app = Fastify();
  app.addHook('onRequest', async (_, reply) => void reply.headers(SECURITY_HEADERS));
  serveSite(app, () => files);
  await app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/docs`;
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
}, 240_000);

afterAll(async () => {
  await browser.close();
  await app.close();
});

async function open(path: string, { width = 1440, dark = false } = {}): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  page.on('pageerror', (error) => complaints.push(`${path}: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${path}: ${message.text()}`);
  });
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // Pages that are linked are fetched ahead, and no longer wanted when the reader goes on.
    if (why !== 'net::ERR_ABORTED') complaints.push(`${path}: ${request.url()}: ${why}`);
  });
  await page.goto(url + path);
  await page.locator('.vp-doc h1').waitFor();
  return page;
}

describe('the files', () => {
  it.each(filesOf(/\.md$/, 'docs').filter((file) => !file.startsWith('docs/site/')))(
    '%s is a page',
    (file) => {
      expect([...files.keys()]).toContain(pages.get(file)?.replace(/\.md$/, '.html'));
    },
  );

  it('lists every page once', () => {
    const listed = sidebar().flatMap(({ items }) => items.map(({ link }) => link));
    const there = [...pages.values()].map(
      (page) => `/${page.replace(/\.md$/, '').replace(/(^|\/)index$/, '$1')}`,
    );
    expect(listed.toSorted()).toEqual(there.toSorted());
  });

  it('hold no script and no style inside a page', () => {
    for (const [name, { plain }] of files) {
      if (!name.endsWith('.html') || name === 'reference.html') continue;
      const html = plain.toString();
      expect(html.match(/<script(?![^>]* src=)[^>]*>/g), name).toBeNull();
      expect(html.match(/<style|<[^>]+ style="[^"]*"| on\w+="/g), name).toBeNull();
      expect(html.match(/https?:\/\/[^"]*\.(js|css|woff2?)"/g), name).toBeNull();
    }
  });

  it('lead only to pages and sections that are there', () => {
    const wrong: string[] = [];
    for (const [name, { plain }] of files) {
      if (!name.endsWith('.html') || name === 'reference.html') continue;
      for (const [, path = '', anchor] of plain
        .toString()
        .matchAll(/<a[^>]* href="\/docs\/([^"#]*)(?:#([^"]*))?"/g)) {
        const page = path === '' || path.endsWith('/') ? `${path}index.html` : `${path}.html`;
        const target = files.get(page)?.plain.toString();
        const isThere = anchor === undefined || target?.includes(`id="${decodeURI(anchor)}"`);
        if (target === undefined || !isThere) wrong.push(`${name}: ${path}#${anchor ?? ''}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('have the page of the API, for other hosts', () => {
    expect(readFileSync(join(folder, 'reference.html'), 'utf8')).toContain(
      '<article id="enqueue">',
    );
  });

  it('come compressed', () => {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((each) => /\.(html|js|css)$/.test(each)))
      expect(names).toContain(`${name}.gz`);
  });
});

describe('in a browser', () => {
  it('the search finds a word of the glossary, and leads there', async () => {
    const page = await open('/');
    await page.keyboard.press('Control+k');
    await page.locator('.VPLocalSearchBox input').fill('lease');
    const found = page.locator('.VPLocalSearchBox .results a').filter({ hasText: 'Glossary' });
    await found.filter({ hasText: 'Lease' }).first().click();
    await page.waitForURL('**/docs/glossary#lease');
    await page.locator('h3#lease').waitFor();
    await page.close();
  });

  it('pages follow each other without being loaded again', async () => {
    const page = await open('/first-job');
    await page.evaluate('window.stayed = true');
    await page.locator('.VPSidebar').getByRole('link', { name: 'Guarantees' }).click();
    await page.locator('.vp-doc h1', { hasText: 'Guarantees' }).waitFor();
    expect(await page.evaluate('window.stayed')).toBe(true);
    await page.close();
  });

  it('tags of templates are text, nothing else comes in, and code has colours', async () => {
    const page = await open('/templates');
    expect(await page.locator('.vp-doc').innerText()).toContain('{{');
    await page.goto(`${url}/`);
    expect(await page.locator('.vp-doc').innerText()).not.toContain('undefined');
    await page.goto(`${url}/first-job`);
    const colours = await page.evaluate<string[]>(
      "['.vp-code .code-token-keyword', '.vp-doc p'].map((each) => getComputedStyle(document.querySelector(each)).color)",
    );
    expect(new Set(colours).size).toBe(2);
    await page.close();
  });

  it('the theme follows the reader, and can be changed', async () => {
    const page = await open('/', { dark: true });
    const isDark = () => page.evaluate('document.documentElement.classList.contains("dark")');
    expect(await isDark()).toBe(true);
    await page.locator('.VPNavBarAppearance button').click();
    expect(await isDark()).toBe(false);
    await page.reload();
    expect(await isDark()).toBe(false);
    await page.close();
  });

  it.each(['/', '/cli', '/configuration', '/glossary', '/decisions/', '/operations/runbook'])(
    '%s does not scroll sideways on a telephone',
    async (path) => {
      const page = await open(path, { width: 360 });
      const over = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(over).toBeLessThanOrEqual(0);
      await page.close();
    },
  );

  it('pictures of the README are there', async () => {
    const page = await open('/');
    const sizes = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.vp-doc img')].map((image) => image.naturalWidth)",
    );
    expect(sizes.length).toBeGreaterThanOrEqual(4);
    for (const size of sizes) expect(size).toBeGreaterThan(0);
    await page.close();
  });

  it('an address of the API page of before leads to the page of the API', async () => {
    const page = await browser.newPage();
    await page.goto(`${url}/#enqueue`);
    await page.waitForURL('**/docs/reference#enqueue');
    await page.close();
  });

  it('nothing complains, and nothing is against the policy', () => {
    expect(complaints).toEqual([]);
  });
});
