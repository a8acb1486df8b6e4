// The console in a real browser: what its first page loads and when it can be used, a list of a million jobs, a storm of live
// events, a template that is looked at while its data is typed, and SQL that is typed beside thousands of tables.

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@millrace/api';
import { DOCX_TYPE } from '@millrace/documents/contract';
import pg from 'pg';
import { startPostgres } from '../../scripts/services.mjs';
import { click, gzipBytes, openBrowser, since, typed } from './console-browser.mjs';
import { startServer } from './server.mjs';
import { figure, median, percentile, table } from './stats.mjs';

const HISTORY = new URL('../../console/test/history.sql', import.meta.url);
const INVOICE = new URL('../../examples/invoice/', import.meta.url);
/** A job file of a user: the job does nothing, so that only the console's work is measured. */
const TICK = `import { defineJob, done } from '@millrace/engine';
import { z } from 'zod';
export const tick = defineJob({ kind: 'tick', input: z.unknown(), public: true, run: async () => done() });
`;
/** Fifty at a time: one request every so often. */
const AT_ONCE = 50;
const WARM_UP_SECONDS = 3;

export async function main({ rows, rounds, rate, seconds, previews, tables }) {
  const postgres = await startPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const browser = await openBrowser();
  let server;
  try {
    await mkdir(join(folder, 'jobs'));
    await writeFile(join(folder, 'jobs/tick.ts'), TICK);
    server = await startServer(
      // All of this comes from one caller, who would be rate-limited.
      { DATABASE_URL: postgres.url, MILLRACE_DATA: folder, MILLRACE_RATE_LIMIT: '1000000' },
      folder,
    );
    await fill(postgres.url, rows);
    const at = `${server.baseUrl}/console`;
    const first = await firstLoads(browser, at, rounds);
    const list = await lists(browser, at, rounds);
    const storm = await events(browser, at, server.baseUrl, { rate, seconds });
    const preview = await typing(browser, at, server.baseUrl, previews);
    const sql = await queries(browser, at, tables);
    report({ rows, first, list, storm, preview, tables, sql });
  } finally {
    await browser.close();
    await server?.stop('SIGKILL');
    await rm(folder, { recursive: true, force: true });
    await postgres.remove();
  }
}

/** As the store would have them after a day, vacuumed as autovacuum would have. */
async function fill(url, rows) {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(await readFile(HISTORY, 'utf8'), [rows, '']);
  await client.query('VACUUM ANALYZE millrace.jobs');
  await client.query('VACUUM ANALYZE millrace.dead');
  await client.end();
  console.log(`ready: ${figure(rows)} jobs`);
}

/** Each with an empty cache. */
async function firstLoads(browser, at, count) {
  const rounds = [];
  for (let round = 0; round < count; round += 1) {
    const page = await browser.open();
    const scripts = await page.scripts();
    const shown = await since(page, () => page.goto(`${at}/`), 'main section[aria-label="Flow"]');
    await sleep(2_000); // what is still to come, comes now: a long task among it would delay a click
    const ends = (await page.longTasks()).map(({ at: begun, ms }) => begun + ms);
    const sizes = await Promise.all([...scripts].map(gzipBytes));
    rounds.push({ sizes, shown, ms: Math.max(shown, ...ends) });
    await page.close();
  }
  const bytes = rounds.map(({ sizes }) => sizes.reduce((sum, size) => sum + size, 0));
  return {
    kb: median(bytes) / 1_000,
    files: rounds[0].sizes.length,
    shown: median(rounds.map(({ shown }) => shown)),
    ms: median(rounds.map(({ ms }) => ms)),
  };
}

/** The page of the jobs from its address on, then what people do there. */
async function lists(browser, at, rounds) {
  const page = await browser.open();
  await page.goto(`${at}/`); // the scripts are in the cache, as for whoever works here
  const opened = [];
  for (let round = 0; round < rounds; round += 1)
    opened.push(await since(page, () => page.goto(`${at}/jobs`), '[data-row="49"]'));
  const filter = await since(
    page,
    () => click(page, 'nav[aria-label="Views"] a[href*="phase=failed"]'),
    'main [aria-busy="false"] [data-row="49"]',
    `document.querySelector('[data-row="49"]').textContent.includes('Failed')`,
  );
  const next = await since(
    page,
    () => click(page, 'button[aria-label="Next page"]'),
    'main [aria-busy="false"] [data-row="49"]',
    "location.search.includes('after=')",
  );
  await click(page, 'thead input[type=checkbox]');
  await click(page, '[aria-label="Chosen jobs"] button[aria-pressed]');
  const bulk = await since(
    page,
    () => click(page, '[aria-label="Chosen jobs"] button:nth-of-type(2)'),
    'dialog table',
  );
  const asked = await page.text('dialog h1');
  await page.close();
  return { opened: median(opened), filter, next, bulk, asked };
}

/** Jobs that do nothing, at a steady rate, while somebody looks at the list, and then at the overview. */
async function events(browser, at, baseUrl, { rate, seconds }) {
  const client = createClient({ baseUrl });
  const heard = listener(client);
  let isOver = false;
  const emit = async () => {
    const started = performance.now();
    for (let n = 0; !isOver; n += 1) {
      await sleep(Math.max(0, started + (n * AT_ONCE * 1_000) / rate - performance.now()));
      await client.enqueueBatch({
        body: Array.from({ length: AT_ONCE }, () => ({ kind: 'tick', data: {} })),
      });
    }
  };
  const emitting = emit();
  const looks = [];
  try {
    for (const path of ['/jobs', '/']) {
      const page = await browser.open();
      await page.goto(`${at}${path}`);
      await sleep(Math.min(WARM_UP_SECONDS, seconds) * 1_000);
      const [before, begun] = [heard.count(), performance.now()];
      const from = await page.now();
      await sleep(seconds * 1_000);
      const tasks = (await page.longTasks()).filter((task) => task.at >= from);
      const perSecond = ((heard.count() - before) * 1_000) / (performance.now() - begun);
      const news = path === '/jobs' ? await page.text('main button.bg-running-tint') : null;
      looks.push({ path, tasks, perSecond, news });
      await page.close();
    }
  } finally {
    isOver = true;
    await emitting;
    heard.stop();
  }
  return looks;
}

/** Counts the events about jobs that a reader of the stream is given. */
function listener(client) {
  const stop = new AbortController();
  let count = 0;
  const read = async () => {
    for await (const event of client.events({ query: { topics: 'job' } }, { signal: stop.signal }))
      if (event.type === 'job') count += 1;
  };
  read().catch((error) => {
    if (!stop.signal.aborted) throw error;
  });
  return { count: () => count, stop: () => stop.abort() };
}

/** Three characters, as fast as people type; from the last of them until the page shows what they say. */
async function typing(browser, at, baseUrl, previews) {
  const client = createClient({ baseUrl });
  await client.addTemplate({
    params: { id: 'invoice' },
    upload: { type: DOCX_TYPE, bytes: await readFile(new URL('template.docx', INVOICE)) },
  });
  const data = await readFile(new URL('data.json', INVOICE), 'utf8');
  const page = await browser.open();
  await page.keep('millrace.sample.invoice', data);
  await page.goto(`${at}/documents/templates/invoice`);
  const number = JSON.parse(data).Number;
  await typed.shows(page, number);
  const times = [];
  await typed.atEndOfValue(page, 2); // the number stands in the second line
  for (let n = -3; n < previews; n += 1) {
    const more = String(1_000 + n).slice(-3);
    const ms = await typed.keys(page, more, `${number}${more}`);
    if (n >= 0) times.push(ms);
    await typed.back(page, more.length, number);
  }
  await page.close();
  return times;
}

const SQL_EDITOR = `[...document.querySelectorAll('*')]
  .flatMap((each) => each.shadowRoot?.querySelector('.cm-content[aria-label="SQL"]') ?? [])[0]`;
/** 65 keys, as a query is typed. */
const TYPED = 'SELECT s.SubscriberKey, s.EventDate FROM _Sent s WHERE s.JobID > 5';

/** An account with so many data extensions; what a key costs there, and how much is in the page. */
async function queries(browser, at, tables) {
  const page = await browser.open();
  const dataExtensions = Array.from({ length: tables }, (_, index) => {
    const name = `Campaign & Contact ${tables - index}`;
    return {
      name,
      customerKey: name,
      folders: ['Data Extensions', `Year ${index % 20}`],
      fields: null,
    };
  });
  await page.answer('**/catalog*', {
    mid: '100001',
    mids: ['100001'],
    dataExtensions,
    dataViews: [],
    fetchedAt: new Date().toISOString(),
  });
  await page.goto(`${at}/queries`);
  await page.when(`document.querySelector('aside [aria-posinset="1"]') && ${SQL_EDITOR}`);
  await page.evaluate(`${SQL_EDITOR}.focus()`);
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  const begun = performance.now();
  await page.keyboard.type(TYPED);
  await page.when(`${SQL_EDITOR}.textContent.includes('JobID > 5')`);
  const ms = (performance.now() - begun) / TYPED.length;
  const nodes = await page.evaluate("document.querySelectorAll('*').length");
  await page.close();
  return { ms, nodes };
}

function report({ rows, first, list, storm, preview, tables, sql }) {
  const ms = (value) => figure(value);
  console.log(
    `\nFirst load: ${figure(first.kb, 1)} kB of gzipped scripts in ${first.files} files, shown after ${ms(first.shown)} ms, interactive after ${ms(first.ms)} ms\n`,
  );
  console.log(
    table(
      [`with ${figure(rows)} jobs`, 'ms'],
      [
        ['the list, from its address to its rows', ms(list.opened)],
        ['another view (failed)', ms(list.filter)],
        ['the next page of it', ms(list.next)],
        [`all matching, frozen and counted: “${list.asked}”`, ms(list.bulk)],
      ],
    ),
  );
  console.log('');
  for (const { path, tasks, perSecond, news } of storm) {
    const longest = Math.max(0, ...tasks.map((task) => task.ms));
    const page = path === '/jobs' ? `jobs (“${news}”)` : 'overview';
    console.log(
      `${figure(perSecond)} events a second, looking at ${page}: ${tasks.length} long tasks, the longest ${ms(longest)} ms`,
    );
  }
  const [p50, p95] = [0.5, 0.95].map((share) => percentile(preview, share));
  console.log(
    `\nPreview while typing, ${figure(preview.length)} times: p50 ${ms(p50)} ms, p95 ${ms(p95)} ms from the last key`,
  );
  console.log(
    `Typing SQL beside ${figure(tables)} tables: ${figure(sql.ms, 1)} ms a key, ${figure(sql.nodes)} nodes in the page`,
  );
  const long = storm.reduce((sum, { tasks }) => sum + tasks.length, 0);
  console.log(
    `\nresult: console first_load_kb=${first.kb.toFixed(1)} interactive_ms=${first.ms.toFixed(0)} ` +
      `list_1m_ms=${list.opened.toFixed(0)} long_tasks=${long} preview_p95_ms=${p95.toFixed(0)} ` +
      `sql_key_ms=${sql.ms.toFixed(1)}`,
  );
}
