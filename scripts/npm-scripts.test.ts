import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

// npm gives its scripts to sh, or on Windows to cmd.exe. What both understand is a program and its words.

const root = join(import.meta.dirname, '..');
const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  workspaces: string[];
};

describe.each(['.', 'lab/bench', 'salesforce-package', ...workspaces])(
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

// A shell stands between npm and the program, and takes the signal for itself: scripts/setup.mjs sees that the shell has ended.
it.skipIf(process.platform === 'win32')('a signal for npm reaches the program', async () => {
  const setup = pathToFileURL(join(root, 'scripts/setup.mjs')).href;
  writeFileSync(
    join(folder, 'wait.mjs'),
    `import { script } from '${setup}';
     await script(async () => {
       process.on('SIGTERM', () => { console.log('asked to end'); process.exit(0); });
       setTimeout(() => process.exit(1), 20_000);
       console.log('waits');
     });`,
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
