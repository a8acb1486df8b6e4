import { createHash } from 'node:crypto';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { textOf } from '../connectors/office/test/documents.ts';
import { unzip } from '../docx/test/builder.ts';
import { need } from '../scripts/need.mjs';
import { bareDatabase } from '../stores/postgres/test/databases.ts';
import { textOf as fileText } from './test/tree.ts';
import { IMPATIENT, type Tutorial, blocksOf, startTutorial } from './test/tutorial.ts';

/**
 * Every command of the tutorials in its order, as a newcomer comes by it: in a folder like a fresh clone, against the built server
 * as `npm start` has it, with its embedded sample, its simulated Marketing Cloud and a real LibreOffice. One server for all of
 * them: to start it takes longer than most pages.
 */

await need('duckdb');
await need('office');
await need('pdf');

const IN_YOUR_PROGRAM = 'A job, and Millrace in your own program';

let tutorial: Tutorial;
beforeAll(async () => {
  const hello = (await blocksOf('docs/first-job.md')).find(({ language }) => language === 'ts');
  const [job = '', app = ''] = (await blocksOf('README.md', IN_YOUR_PROGRAM))
    .filter(({ language }) => language === 'ts')
    .map(({ text }) => text);
  tutorial = await startTutorial({
    settings: { ...IMPATIENT, CONVERSION_MAX_CONCURRENT: '1' },
    folders: ['docs', 'examples', 'pipelines', 'reports'],
    files: {
      'jobs/checksum-folder.ts': fileText('jobs/checksum-folder.ts'),
      // The page waits 10 s before the last try; `explain` needs the 5 s before the second one.
      'jobs/hello.ts': (hello?.text ?? '').replace("'10s'", "'100ms'"),
      'jobs/greet.ts': job,
      'app/greet.mjs': compiled(job),
      'app/main.mjs': programOf(app),
    },
  });
}, 240_000);
afterAll(() => tutorial.close(), 60_000);

it('first-job.md is true, command by command', { timeout: 120_000 }, async () => {
  const blocks = await blocksOf('docs/first-job.md');
  for (const [index, { language, text }] of blocks.entries()) {
    if (language !== 'sh' || text.startsWith('npm start')) continue;
    // As in the one shell of the reader, what a block has set is there in the next.
    const whole = `[ -f id ] && id=$(cat id)\n${text}\necho "$id" > id`;
    const { code, said } = await tutorial.shell(whole);
    // 1 is a job that failed, 4 a request that was refused: the page shows both.
    expect([0, 1, 4], `${text}\n${said}`).toContain(code);
    const shown = blocks[index + 1];
    if (shown?.language !== '') continue;
    for (const line of shown.text.split('\n')) expect(essence(said), text).toContain(essence(line));
  }
});

it('reports.md is true, command by command', { timeout: 600_000 }, async () => {
  await tutorial.follow('docs/reports.md');
  const { made } = tutorial;
  const lines = async (name: string) => (await made(name)).toString().trimEnd().split('\n');
  const [header, ...rows] = await lines('timesheets.csv');
  expect(header).toBe('County,Provider,Recipient,Day,Number,Hours,Status,Approved,Comment');
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row).toMatch(/^Los Angeles,/);
  expect((await made('approved.xlsx')).subarray(0, 2).toString()).toBe('PK');
  expect((await made('timesheets.csv.gz')).subarray(0, 2).toString('hex')).toBe('1f8b');
  expect((await lines('all.csv')).length).toBeGreaterThan(90_000);
  const digest = async (name: string) =>
    createHash('sha256')
      .update(await made(name))
      .digest('hex');
  expect(await digest('again.csv')).toBe(await digest('all.csv'));
  expect((await lines('overtime.csv'))[0]).toBe('county_id,id,name,Hours');
});

it('queries.md is true, command by command', { timeout: 300_000 }, async () => {
  await tutorial.follow('docs/queries.md', ({ notes }, { said }) => {
    if (notes['exit'] === '4') expect(said).toMatch(/\n {4}\| +\^\n/);
  });
  const { made } = tutorial;
  expect((await made('opens.csv')).toString()).toMatch(/^JobID,Opens\r\n(5\d{3},\d+\r\n)+$/);
  expect((await made('opens.xlsx')).subarray(0, 2).toString()).toBe('PK');
  expect((await made('run.csv')).toString()).toContain('5000,Newsletter 1\r\n');
});

it('documents.md is true, command by command', { timeout: 180_000 }, async () => {
  await tutorial.follow('docs/documents.md');
  const { made } = tutorial;
  expect(textOf(await made('invoice.pdf'))).toContain('€4,002.57');
  expect(textOf(await made('rechnung.pdf'))).toContain('31. Oktober 2026');
  expect(textOf(await made('from-http.pdf'))).toContain('€4,002.57');
  expect(textOf(await made('report.pdf'))).toContain('All regions');
  expect([...unzip(await made('invoice.docx')).keys()]).toContain('word/document.xml');
  expect([...unzip(await made('offers.zip')).keys()].toSorted()).toEqual([
    'Offer Mara Lindqvist.pdf',
    'Offer Saoirse O’Neill.pdf',
    'Offer Tomás Oliveira.pdf',
  ]);
});

it('pipelines.md is true, command by command', { timeout: 600_000 }, async () => {
  const said: string[] = [];
  await tutorial.follow('docs/pipelines.md', (_, ran) => said.push(ran.said));
  const all = said.join('\n');
  expect(all).toMatch(/pipe-1 succeeded: 3 steps/);
  // As many letters as customers, and a line of the table for each.
  const [, rows, documents, lines] =
    /✓ Customers with orders .* (\d+) rows?\n.* (\d+) documents?\n.* (\d+) rows?,/.exec(all) ?? [];
  expect(Number(rows)).toBeGreaterThan(0);
  expect([documents, lines]).toEqual([rows, rows]);
  expect(all).toMatch(/pipe-2 newest failed: Customer is not a known data extension/);
  expect(all).toMatch(/pipe-2 succeeded: 3 steps/);
  expect(all).toContain('wrong.yaml:5:19  steps.customers.query.sql: there is no mnth here.');
  const run = JSON.parse((await tutorial.made('run.json')).toString()) as { id: string };
  const events = (await tutorial.made('events.txt')).toString();
  const last =
    events
      .trim()
      .split('\n')
      .findLast((line) => line.startsWith('data:')) ?? '';
  expect(JSON.parse(last.slice('data:'.length))).toMatchObject({
    type: 'pipeline',
    run: {
      id: run.id,
      state: 'SUCCEEDED',
      parameters: { least: '3' },
      steps: [{ name: 'customers' }, { name: 'letters' }, { name: 'sent' }],
    },
  });
});

it('the commands of README.md for operators run', { timeout: 60_000 }, async () => {
  const rows = fileText('README.md')
    .split('\n')
    .filter((line) => line.startsWith('| `npx'));
  const commands = rows.map((line) => /.*`(npx [^`]+)`/.exec(line)?.[1] ?? '');
  const said = [/^ok +node/m, /checksum-folder/, /./];
  expect(commands).toHaveLength(said.length);
  for (const [index, command] of commands.entries()) {
    const ran = await tutorial.shell(command);
    // What the machine of the test lacks is not the question here.
    const codes = command.endsWith('doctor') ? [0, 1] : [0];
    expect(codes, `${command}\n${ran.said}`).toContain(ran.code);
    expect(ran.said, command).toMatch(said[index] ?? /never/);
  }
});

it('the job of README.md runs', { timeout: 60_000 }, async () => {
  const blocks = await blocksOf('README.md', IN_YOUR_PROGRAM);
  const [command] = blocks.filter(({ language }) => language === 'sh');
  const ran = await tutorial.shell(command?.text ?? '');
  expect(ran.said).toContain('Good morning, Ada.');
  expect(ran.code).toBe(0);
});

it('Millrace runs in a program of one’s own', { timeout: 60_000 }, async () => {
  const database = await bareDatabase();
  try {
    const ran = await tutorial.shell(`DATABASE_URL='${database.url}' node app/main.mjs`);
    expect(ran.said).toContain('SUCCEEDED Good morning, Ada.');
    expect(ran.code).toBe(0);
  } finally {
    await database.drop();
  }
});

/** The block, in a program that has a pool and a transaction; it ends when the job has. */
function programOf(block: string): string {
  const before = `
    import pg from 'pg';
    const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
    const client = await pool.connect();
    await client.query('BEGIN');
  `;
  const after = `
    const ended = new Promise((resolve) => millrace.on('job.succeeded', ({ id }) => resolve(id)));
    await client.query('COMMIT');
    client.release();
    const { state, result } = await millrace.get(await ended);
    console.log(state, result);
    await millrace.stop();
    await pool.end();
  `;
  return compiled(before + block.replace('./jobs/greet.ts', './greet.mjs') + after);
}

/** Plain Node reads no TypeScript. */
function compiled(text: string): string {
  return transformSync(text, { loader: 'ts', format: 'esm' }).code;
}

/** Without what differs from run to run: times, numbers of jobs, and how text is laid out. */
function essence(text: string): string {
  return text
    .replaceAll(/in \d[^ ]* m?s/g, '')
    .replaceAll(/\bpg-\d+/g, 'pg-N')
    .replaceAll(/\s*…/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
