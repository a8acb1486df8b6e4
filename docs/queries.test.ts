import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Tutorial, blocksOf, startTutorial } from './test/tutorial.ts';

/**
 * Every command of the tutorial and of the README's query in their order, against the built server as `npm start` has it: with
 * its simulated Marketing Cloud, which runs the SQL.
 */

let tutorial: Tutorial;
beforeAll(async () => {
  tutorial = await startTutorial({ settings: { MILLRACE_DOCUMENTS: 'false' } });
}, 240_000);
afterAll(() => tutorial.close(), 60_000);

it('is true, command by command', { timeout: 300_000 }, async () => {
  await tutorial.follow('docs/queries.md', ({ notes }, { said }) => {
    if (notes['exit'] === '4') expect(said).toMatch(/\n {4}\| +\^\n/);
  });
  const { made } = tutorial;
  expect((await made('opens.csv')).toString()).toMatch(/^JobID,Opens\r\n(5\d{3},\d+\r\n)+$/);
  expect((await made('opens.xlsx')).subarray(0, 2).toString()).toBe('PK');
  expect((await made('run.csv')).toString()).toContain('5000,Newsletter 1\r\n');
});

it('is true of the README too', { timeout: 120_000 }, async () => {
  const commands = await blocksOf('README.md', 'A query');
  expect(commands).toHaveLength(1);
  await tutorial.shell('rm -f opens.xlsx');
  for (const { text } of commands) {
    const { code, said } = await tutorial.shell(text);
    expect(code, `${text}\n${said}`).toBe(0);
    expect(said).toContain('Newsletter 9');
  }
});
