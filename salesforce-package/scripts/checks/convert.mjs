// The package as `sf project deploy start` would send it: whether Salesforce's own tool takes every file for metadata, and
// leaves none out. It needs sf; without it, the check says so and is left out.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { filesBelow } from '../lib/project.mjs';

const run = promisify(execFile);
/** Components whose file has the same name in both formats. */
const ALIKE = /\.(cls|trigger|html)$|^(?!.*(__tests__|\.test\.)).*\.js$/;

/** @param {string} project @returns {Promise<import('./apex.mjs').Outcome>} */
export async function convert(project) {
  const folder = mkdtempSync(join(tmpdir(), 'converted-'));
  const args = ['project', 'convert', 'source', '--source-dir', 'force-app', '--output-dir'];
  try {
    await run('sf', [...args, folder, '--json'], {
      cwd: project,
      maxBuffer: 1 << 26,
      shell: process.platform === 'win32',
    });
    const made = new Set(filesBelow(folder).map((path) => basename(path)));
    const wanted = filesBelow(join(project, 'force-app'))
      .map((path) => basename(path))
      .filter((name) => ALIKE.test(name));
    return {
      problems: wanted.filter((name) => !made.has(name)).map((name) => `sf leaves out ${name}.`),
      note: `${made.size} files`,
    };
  } catch (error) {
    const { code, stdout = '' } = /** @type {{ code?: unknown, stdout?: string }} */ (error);
    if (code === 'ENOENT')
      return { problems: [], note: 'there is no sf here (Salesforce CLI)', skipped: true };
    return { problems: [`sf ${args.join(' ')}: ${said(stdout)}`] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} stdout */
function said(stdout) {
  try {
    return JSON.parse(stdout).message;
  } catch {
    return stdout.slice(0, 500);
  }
}
