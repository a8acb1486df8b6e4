import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Tutorial, startTutorial } from './test/tutorial.ts';

/** Every command of the tutorial in its order, against the built server as `npm start` has it: with its embedded sample. */

let tutorial: Tutorial;
beforeAll(async () => {
  tutorial = await startTutorial({
    settings: { MILLRACE_DOCUMENTS: 'false', MILLRACE_QUERIES: 'false' },
    folders: ['reports'],
  });
}, 240_000);
afterAll(() => tutorial.close(), 60_000);

it('is true, command by command', { timeout: 600_000 }, async () => {
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
