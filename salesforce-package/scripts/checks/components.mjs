// The Lightning components' own tests.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toolsRoot } from '../lib/project.mjs';

const run = promisify(execFile);

/** @param {string} project @returns {Promise<{ problems: string[], note: string }>} */
export async function components(project) {
  if (!existsSync(join(project, 'force-app/main/default/lwc')))
    return { problems: [], note: 'no components' };
  const jest = join(toolsRoot, 'node_modules/@salesforce/sfdx-lwc-jest/bin/sfdx-lwc-jest');
  // The second `--` hands the rest to Jest.
  // Its cache would otherwise stay in the temporary folder.
  const cache = `--cacheDirectory=${join(toolsRoot, 'node_modules/.cache/jest')}`;
  const args = [jest, '--', '--ci', '--silent', '--maxWorkers=2', cache];
  const { output, failed } = await run(process.execPath, args, {
    cwd: project,
    maxBuffer: 1 << 26,
  }).then(
    ({ stdout, stderr }) => ({ output: stdout + stderr, failed: false }),
    (error) => ({ output: `${error.stdout}${error.stderr}`, failed: true }),
  );
  const counts = /^Tests:\s+(.*)$/m.exec(output)?.[1] ?? 'no tests';
  return { problems: failed ? output.trimEnd().split('\n') : [], note: counts };
}
