// The Apex type checker of the PMD engine's jars. It needs Java; without it, the check says so and is left out.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { toolsRoot } from '../lib/project.mjs';

const run = promisify(execFile);
export const JARS = join(
  toolsRoot,
  'node_modules/@salesforce/code-analyzer-pmd-engine/dist/java-lib',
);
const MAIN = 'io.github.apexdevtools.apexls.CheckForIssues';

/** @returns {Promise<string | undefined>} why it cannot run */
export async function typesCannotRun() {
  if (!existsSync(JARS))
    return 'the jars of @salesforce/code-analyzer-pmd-engine are not where they were';
  try {
    await run('java', ['-version']);
    return undefined;
  } catch {
    return 'there is no Java here (Debian: apt-get install openjdk-17-jre-headless)';
  }
}

/** @param {string} project the folder with sfdx-project.json @returns {Promise<string[]>} */
export async function types(project) {
  const args = ['-cp', join(JARS, '*'), MAIN, '-w', project, '-n', '-d', 'warnings', '-f', 'text'];
  const { stdout, code } = await run('java', args, { maxBuffer: 1 << 26 }).then(
    ({ stdout: out }) => ({ stdout: out, code: 0 }),
    (error) => ({ stdout: `${error.stdout}${error.stderr}`, code: error.code ?? 1 }),
  );
  const problems = parsed(stdout, project);
  return problems.length === 0 && code !== 0
    ? [`${MAIN} ended with ${code}: ${stdout.slice(0, 500)}`]
    : problems;
}

/** A file's name stands on a line of its own, above what is wrong with it. @param {string} output @param {string} project */
function parsed(output, project) {
  let file = '';
  return output.split('\n').flatMap((line) => {
    if (line.startsWith('/') || /^[A-Z]:\\/.test(line)) {
      file = relative(project, line.trim());
      return [];
    }
    const found =
      /^(?:Syntax|Error|Missing|Warning|Unused): line (\d+)[^:]*(?::\d+[^:]*)?: (.*)$/.exec(line);
    return found
      ? [`${file}:${found[1]} ${found[2]}`]
      : line.trim() === ''
        ? []
        : [`${file} ${line.trim()}`];
  });
}
