import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

// npm gives its scripts to sh, or on Windows to cmd.exe. What both understand is a program and its words.

const root = join(import.meta.dirname, '..');
const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  workspaces: string[];
};

describe.each(['.', 'bench', 'salesforce-package', ...workspaces])(
  'the scripts of %s',
  (folder) => {
    const { scripts = {} } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    ) as { scripts?: Record<string, string> };

    it('are a program and its words, for any shell', () => {
      const others = Object.values(scripts).filter(
        (script) => !/^(node|tsc|vite|oxlint|oxfmt)( [\w./-]+)*$/.test(script),
      );
      expect(others).toEqual([]);
    });
  },
);

const folder = mkdtempSync(join(tmpdir(), 'millrace-npm-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// A shell that stayed between npm and the server would take the signal for itself, and the server would stay behind.
it.skipIf(process.platform === 'win32')('a signal for npm reaches the program', async () => {
  writeFileSync(
    join(folder, 'wait.mjs'),
    `process.on('SIGTERM', () => { console.log('asked to end'); process.exit(0); });
     setInterval(() => {}, 1_000);
     console.log('waits');`,
  );
  writeFileSync(join(folder, 'package.json'), '{ "scripts": { "start": "node wait.mjs" } }');
  const npm = spawn('npm', ['start'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const chunk of npm.stdout.setEncoding('utf8')) {
    said += String(chunk);
    if (/^waits$/m.test(said)) npm.kill('SIGTERM');
  }
  expect(said).toMatch(/^asked to end$/m);
});
