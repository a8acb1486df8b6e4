import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareDatabase } from '../stores/postgres/test/databases.ts';
import { type Tutorial, blocksOf, startTutorial } from './test/tutorial.ts';
import { textOf } from './test/tree.ts';

/** Every command of the README, against the built server as `npm start` has it, and its pictures. */

const IN_YOUR_PROGRAM = 'A job, and Millrace in your own program';
const readme = textOf('README.md');
/** A row for each step, a cell for each reader. */
const table = readme
  .split('\n')
  .filter((line) => /^\| (`npx|engineer)/.test(line))
  .map((line) =>
    line
      .split(' | ')
      .map((cell) => /`(npx [^`]+)`/.exec(cell)?.[1] ?? cell.replaceAll('|', '').trim()),
  );
const [readers = [], ...steps] = table;

let tutorial: Tutorial;
beforeAll(async () => {
  const [job = '', app = ''] = (await blocksOf('README.md', IN_YOUR_PROGRAM))
    .filter(({ language }) => language === 'ts')
    .map(({ text }) => text);
  tutorial = await startTutorial({
    settings: {},
    folders: ['examples/invoice', 'jobs', 'reports'],
    files: {
      'jobs/greet.ts': job,
      'docs/page.md': 'A page.\n',
      'app/greet.mjs': compiled(job),
      'app/main.mjs': programOf(app),
    },
  });
}, 240_000);
afterAll(() => tutorial.close(), 60_000);

it('has three commands for each of three readers', () => {
  expect(readers).toEqual(['engineer', 'office', 'operator']);
  expect(steps).toHaveLength(3);
  for (const step of steps) for (const command of step) expect(command).toMatch(/^npx millrace /);
});

describe('the commands of', () => {
  const said: Record<string, RegExp[]> = {
    engineer: [/SUCCEEDED/, /pg-1 +SUCCEEDED/, /Newsletter 9/],
    office: [/invoice/, /invoice\.pdf/, /timesheets\.xlsx/],
    // What the machine of the test lacks is not the question here.
    operator: [/^ok +node/m, /checksum-folder/, /./],
  };

  it.each(readers.map((reader, column) => ({ reader, column })))(
    '$reader run',
    { timeout: 120_000 },
    async ({ reader, column }) => {
      for (const [index, step] of steps.entries()) {
        const command = step[column] ?? '';
        const ran = await tutorial.shell(command);
        const codes = command.endsWith('doctor') ? [0, 1] : [0];
        expect(codes, `${command}\n${ran.said}`).toContain(ran.code);
        expect(ran.said, command).toMatch(said[reader]?.[index] ?? /never/);
      }
    },
  );

  it('the office have made files', async () => {
    expect((await tutorial.made('invoice.pdf')).subarray(0, 5).toString()).toBe('%PDF-');
    expect((await tutorial.made('timesheets.xlsx')).subarray(0, 2).toString()).toBe('PK');
  });
});

it('the job runs', { timeout: 60_000 }, async () => {
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
