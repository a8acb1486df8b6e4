import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { need } from '../scripts/need.mjs';
import { IMPATIENT, type Tutorial, startTutorial } from './test/tutorial.ts';
import { textOf } from './test/tree.ts';

await need('office');
await need('duckdb');

/** The first commands of the README, against the built server as `npm start` has it. Those of the operator, and the program, are in tutorials.long.test.ts. */

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
  tutorial = await startTutorial({
    settings: { ...IMPATIENT, CONVERSION_MAX_CONCURRENT: '1' },
    folders: ['examples/invoice', 'jobs', 'reports'],
    files: { 'docs/page.md': 'A page.\n' },
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
  };

  it.each(readers.slice(0, 2).map((reader, column) => ({ reader, column })))(
    '$reader run',
    { timeout: 120_000 },
    async ({ reader, column }) => {
      for (const [index, step] of steps.entries()) {
        const command = step[column] ?? '';
        const ran = await tutorial.shell(command);
        expect(ran.code, `${command}\n${ran.said}`).toBe(0);
        expect(ran.said, command).toMatch(said[reader]?.[index] ?? /never/);
      }
    },
  );

  it('the office have made files', async () => {
    expect((await tutorial.made('invoice.pdf')).subarray(0, 5).toString()).toBe('%PDF-');
    expect((await tutorial.made('timesheets.xlsx')).subarray(0, 2).toString()).toBe('PK');
  });
});
