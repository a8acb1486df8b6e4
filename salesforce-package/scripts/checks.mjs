// All checks of the package, for the command line (check.mjs) and for other programs.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APEX_CHECKS, apexChecks } from './checks/apex.mjs';
import { components } from './checks/components.mjs';
import { convert } from './checks/convert.mjs';
import { formatting } from './checks/format.mjs';
import { lint } from './checks/lint.mjs';
import { metadata } from './checks/metadata.mjs';
import { security } from './checks/security.mjs';
import { shapes } from './checks/shapes.mjs';
import { types, typesCannotRun } from './checks/types.mjs';
import { packageRoot } from './lib/project.mjs';
import { differsFromVectors } from './lib/vectors.mjs';

/**
 * @typedef {object} Result
 * @property {string} name
 * @property {string[]} problems none: it passed
 * @property {string} note what was looked at, or why it was left out
 * @property {boolean} skipped
 * @property {number} ms
 */

export const CHECKS = [
  'metadata',
  'shapes',
  'convert',
  'format',
  'vectors',
  'types',
  'security',
  ...APEX_CHECKS,
  'lint',
  'components',
];

/**
 * Runs the checks and calls `report` for each as it ends.
 *
 * @param {{ project?: string, only?: readonly string[], report?: (result: Result) => void }} [options]
 * @returns {Promise<Result[]>}
 */
export async function checkPackage({
  project = packageRoot,
  only = CHECKS,
  report = () => {},
} = {}) {
  const unknown = only.filter((name) => !CHECKS.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no check ${unknown.join(', ')}. There are ${CHECKS.join(', ')}.`);
  const source = join(project, 'force-app/main/default');
  const { sourceApiVersion: apiVersion } = JSON.parse(
    readFileSync(join(project, 'sfdx-project.json'), 'utf8'),
  );
  /** @type {Result[]} */
  const results = [];
  /** @param {string} name @param {import('./checks/apex.mjs').Outcome} outcome @param {number} ms */
  const note = (name, { problems, note: text = '', skipped = false }, ms) => {
    const result = { name, problems, note: text, skipped, ms };
    results.push(result);
    report(result);
  };
  /** @param {string} name @param {() => Promise<import('./checks/apex.mjs').Outcome>} check */
  const run = async (name, check) => {
    if (!only.includes(name)) return;
    const startedAt = performance.now();
    // A check that breaks down has failed; the others still say what they find.
    const outcome = await check().catch((error) => ({
      problems: [`It broke down: ${error.stack}`],
    }));
    note(name, outcome, performance.now() - startedAt);
  };

  await run('metadata', async () => ({ problems: metadata(source, apiVersion) }));
  await run('shapes', async () => shapes(source));
  await run('convert', () => convert(project));
  // The Apex in one thread, everything else after each other beside it: two cores are enough for both.
  await Promise.all([
    only.some((name) => APEX_CHECKS.includes(name)) &&
      apexChecks({ project, apiVersion, only }, note).catch((error) =>
        note('apex', { problems: [`It broke down: ${error.stack}`] }, 0),
      ),
    (async () => {
      await run('types', () => withJava(() => types(project)));
      await run('security', () => withJava(() => security(source)));
      await run('components', () => components(project));
      await run('lint', async () => ({ problems: await lint(project) }));
      await run('format', async () => ({ problems: await formatting(project) }));
      await run('vectors', () => differsFromVectors(source));
    })(),
  ]);
  return results;
}

/** @param {() => Promise<string[]>} check */
async function withJava(check) {
  const why = await typesCannotRun();
  return why === undefined
    ? { problems: await check() }
    : { problems: [], note: why, skipped: true };
}
