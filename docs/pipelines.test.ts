import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Tutorial, startTutorial } from './test/tutorial.ts';

/**
 * Every command of the tutorial in its order, against the built server as `npm start` has it: with its simulated Marketing Cloud
 * and a real LibreOffice.
 */

let tutorial: Tutorial;
beforeAll(async () => {
  tutorial = await startTutorial({ settings: {}, folders: ['pipelines'] });
}, 240_000);
afterAll(() => tutorial.close(), 60_000);

it('is true, command by command', { timeout: 600_000 }, async () => {
  await tutorial.follow('docs/pipelines.md');
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
      state: 'succeeded',
      parameters: { least: '3' },
      steps: [{ name: 'customers' }, { name: 'letters' }, { name: 'sent' }],
    },
  });
});
