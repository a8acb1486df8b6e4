// The checks that need parse trees, in a thread of their own: parsing keeps a core busy for some 10 s.

import { join } from 'node:path';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { runTests } from '../apex-run/tests.mjs';
import { parseFolder } from '../lib/apex-tree.mjs';
import { apexRules, isTest } from './apex-rules.mjs';
import { names } from './names.mjs';
import { queryRules } from './query-rules.mjs';

/** @typedef {{ problems: string[], note?: string, skipped?: boolean }} Outcome */

/** The required coverage of statements in percent. Salesforce itself requires 75 % of the lines. */
const LEAST_COVERAGE = 95;

export const APEX_CHECKS = ['syntax', 'rules', 'names', 'tests'];

/**
 * @param {{ project: string, apiVersion: string, only: readonly string[] }} options
 * @param {(name: string, outcome: Outcome, ms: number) => void} report
 * @returns {Promise<void>}
 */
export function apexChecks(options, report) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: options });
    worker.on('message', ({ name, outcome, ms }) => report(name, outcome, ms));
    worker.on('error', reject);
    worker.on('exit', () => resolve());
  });
}

if (!isMainThread && parentPort !== null) {
  const { project, apiVersion, only } = workerData;
  const source = join(project, 'force-app/main/default');
  /** @type {import('../lib/apex-tree.mjs').ApexFile[]} */
  let files = [];
  /** @type {Record<string, () => Outcome>} */
  const checks = {
    syntax: () => {
      files = parseFolder(source);
      const problems = files.flatMap(({ name, faults }) =>
        faults.map(({ line, message }) => `${name}:${line} ${message}`),
      );
      return { problems, note: `${files.length} files` };
    },
    rules: () => ({
      problems: [
        ...apexRules(files, apiVersion),
        ...queryRules(
          files.filter((file) => !isTest(file)),
          source,
        ),
      ],
    }),
    names: () => ({ problems: names(source, files) }),
    tests: () => {
      // On an imitation of the platform (apex-run): it finds mistakes, and proves nothing for an org.
      const { passed, problems, coverage } = runTests(source);
      const { percent, missed } = coverage;
      if (percent < LEAST_COVERAGE)
        problems.push(`Only ${percent} % of the statements run. Not run: ${missed.join(', ')}`);
      return { problems, note: `result: apex tests=${passed} coverage=${percent}` };
    },
  };
  for (const [name, check] of Object.entries(checks)) {
    const startedAt = performance.now();
    // Whatever is asked for, the files must be parsed first.
    if (name !== 'syntax' && !only.includes(name)) continue;
    const outcome = check();
    if (only.includes(name))
      parentPort.postMessage({ name, outcome, ms: performance.now() - startedAt });
    // What cannot be parsed cannot be looked at.
    if (name === 'syntax' && outcome.problems.length > 0) break;
  }
}
