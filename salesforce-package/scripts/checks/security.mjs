// PMD's own rules for the security of Apex, from the jars that the type checker comes with. Needs Java, as that does.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { filesBelow } from '../lib/project.mjs';
import { JARS } from './types.mjs';

const run = promisify(execFile);
const MAIN = 'com.salesforce.sfca.pmdwrapper.PmdWrapper';
const RULES = `<?xml version="1.0"?>
<ruleset name="security" xmlns="http://pmd.sourceforge.net/ruleset/2.0.0">
  <description>Security of Apex</description>
  <rule ref="category/apex/security.xml"/>
</ruleset>`;

/** @param {string} source force-app/main/default @returns {Promise<string[]>} */
export async function security(source) {
  const folder = mkdtempSync(join(tmpdir(), 'pmd-'));
  try {
    const [rules, input, output] = ['rules.xml', 'input.json', 'output.json'].map((name) =>
      join(folder, name),
    );
    const filesToScan = filesBelow(source).filter((path) => /\.(cls|trigger)$/.test(path));
    writeFileSync(rules, RULES);
    writeFileSync(
      input,
      JSON.stringify({ ruleSetInputFile: rules, runDataPerLanguage: { apex: { filesToScan } } }),
    );
    await run('java', ['-cp', join(JARS, '*'), MAIN, 'run', input, output], { maxBuffer: 1 << 26 });
    const { violations, processingErrors } = JSON.parse(readFileSync(output, 'utf8'));
    return [
      ...violations.map(
        (
          /** @type {{ rule: string, message: string, codeLocation: { file: string, startLine: number } }} */ found,
        ) =>
          `${basename(found.codeLocation.file)}:${found.codeLocation.startLine} ${found.rule}: ${found.message}`,
      ),
      ...processingErrors.map(
        (/** @type {{ file: string, message: string }} */ error) =>
          `${error.file} ${error.message}`,
      ),
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
