import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Tutorial, blocksOf, startTutorial } from './test/tutorial.ts';
import { textOf } from './test/tree.ts';

/** Every command of the README, against the built server as `npm start` has it, and its pictures. */

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
  const blocks = await blocksOf('README.md');
  const job = blocks.find(({ text }) => text.startsWith('// jobs/greet.ts'))?.text ?? '';
  tutorial = await startTutorial({
    settings: {},
    folders: ['examples/invoice', 'jobs', 'reports'],
    files: { 'jobs/greet.ts': job, 'docs/page.md': 'A page.\n' },
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
  const blocks = await blocksOf('README.md', 'A job, and Millrace in your own program');
  const [command] = blocks.filter(({ language }) => language === 'sh');
  const ran = await tutorial.shell(command?.text ?? '');
  expect(ran.said).toContain('Good morning, Ada.');
  expect(ran.code).toBe(0);
});
