import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { processesOf } from './leftovers.mjs';

// `npm test` itself, in a temporary folder of its own.

let temporary: string;
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'runner-'));
  chmodSync(temporary, 0o1777); // Postgres may run as somebody else
});
afterEach(() => rmSync(temporary, { recursive: true, force: true }));

interface Runner {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  output(): string;
}

function npmTest(...words: string[]): Runner {
  const { PATH, HOME, LANG } = process.env;
  const child = spawn(process.execPath, ['scripts/test.mjs', ...words], {
    env: { PATH, HOME, LANG, TMPDIR: temporary },
    detached: true, // a group, as a terminal gives it the signal of Ctrl-C
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return { child, ended: once(child, 'close'), output: () => output };
}

/** The folder of the run, once it is there. */
const runFolders = (): string[] =>
  readdirSync(temporary)
    .filter((name) => name.startsWith('millrace-run-'))
    .map((name) => join(temporary, name));

const until = (isSo: () => void): Promise<void> =>
  vi.waitFor(isSo, { timeout: 60_000, interval: 50 });

describe('leaves nothing behind', { timeout: 180_000 }, () => {
  test.each([
    { by: 'kill -9 of the runner', signal: 'SIGKILL', group: false, end: 'SIGKILL' },
    { by: 'Ctrl-C', signal: 'SIGINT', group: true, end: 'exit 130' },
  ])('after $by in the middle of tests with a Postgres', async ({ signal, group, end }) => {
    const runner = npmTest('stores/postgres/src/postgres.contract');
    await until(() => {
      const [folder = ''] = runFolders();
      const commands = processesOf(folder).map(({ command }) => command);
      expect(commands, runner.output()).toContainEqual(expect.stringMatching(/postgres.* -D /));
      expect(commands).toContainEqual(expect.stringContaining('vitest'));
    });
    const [folder = ''] = runFolders();
    const pid = runner.child.pid ?? 0;
    process.kill(group ? -pid : pid, signal);
    await runner.ended;
    expect(runner.child.signalCode ?? `exit ${runner.child.exitCode}`).toBe(end);
    await until(() => expect(processesOf(folder)).toEqual([]));
    await until(() => expect(readdirSync(temporary)).toEqual([]));
  });
});

test('names what a test left, ends it, and fails', { timeout: 60_000 }, async () => {
  const project = mkdtempSync(join(tmpdir(), 'project-'));
  writeFileSync(
    join(project, 'leaves.test.js'),
    `import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
test('leaves a file and a process', () => {
  writeFileSync(tmpdir() + '/forgotten.txt', '');
  spawn('sleep', ['3600'], { detached: true, stdio: 'ignore' }).unref();
  expect(1).toBe(1);
});`,
  );
  const runner = npmTest('--root', project, '--globals');
  await runner.ended;
  rmSync(project, { recursive: true });
  expect(runner.output()).toMatch(/^Left running: \d+ sleep 3600$/m);
  expect(runner.output()).toMatch(/^Left in the temporary folder: forgotten\.txt$/m);
  expect(runner.output()).toMatch(/^Failed: tests, nothing left\n1 passed, 2 failed$/m);
  expect(runner.child.exitCode).toBe(1);
  expect(readdirSync(temporary)).toEqual([]);
});
