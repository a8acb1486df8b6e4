import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Tutorial, startTutorial } from './test/tutorial.ts';

/**
 * Every command of the tutorial in its order, against the built server as `npm start` has it: with its simulated Marketing
 * Cloud, which runs the SQL.
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
