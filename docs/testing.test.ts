import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Project, startProject } from './test/code.ts';

/** The tests of the page, as a reader would have them: in a folder of their own, run by Node's own runner. */

let project: Project;
beforeAll(async () => {
  project = await startProject('docs/testing.md', ['@millrace/engine', '@millrace/testkit', 'zod']);
}, 120_000);
afterAll(() => project.remove());

it('its tests pass under node --test', async () => {
  const tests = project.files.filter((file) => file.endsWith('.test.ts'));
  expect(tests).toEqual(['invite.test.ts', 'queue.test.ts', 'idempotent.test.ts']);
  const said = await Promise.all(
    tests.map((file) => project.node(file, { flags: ['--test', '--test-reporter=tap'] })),
  );
  expect(said.map((text) => /^# pass (\d+)$/m.exec(text)?.[1])).toEqual(['3', '2', '3']);
});
