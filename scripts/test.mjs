// npm test: installs what is missing, runs the checks and the tests, and ends with the line
// `N passed, M failed`.
//
//   npm test -- engine/       only the tests whose path has "engine/" in it, and no other check; the words go to vitest
//   npm test -- --changed     only the tests that a change since the last commit touches
//   npm test -- --long        what is long (*.long.test.ts, benches, other versions of Node), and nothing else
//   npm run test:all          both
//   npm test -- --use-env     DATABASE_URL, where set, is the server to test on

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownFilesIn } from './leftovers.mjs';
import { folders } from './needs.mjs';
import { NODE_VERSIONS, nodeOf, pathOf } from './nodes.mjs';
import { debianPackages, startRunner } from './services.mjs';
import { ensureModules, ensurePackages, root, script, tool } from './setup.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number, files?: number }} Counts */
/** @typedef {Awaited<ReturnType<typeof startRunner>>} Runner */
/** @typedef {(runner: Runner) => Promise<Counts>} Step */

const OWN = ['--use-env', '--long', '--all'];
const given = new Set(process.argv.filter((argument) => OWN.includes(argument)));
const vitestArguments = process.argv.slice(2).filter((argument) => !OWN.includes(argument));
const isFiltered = vitestArguments.length > 0;
const isLong = given.has('--long') || vitestArguments.some((word) => word.includes('.long.'));

// What configures a real installation must not reach the tests: they would run on its data.
const REAL_SETTINGS =
  /^(DATABASE_URL|REDIS_URL|PG|SALESFORCE_|POLLER_|MCE_|MILLRACE_(?!TEST_)|ISSUER$|AUDIENCE$|JWKS_URI$|AUTH_BYPASS|AZURE_|OTEL_|ENABLE_TELEMETRY)/;

/** Before the tests comes what fails in seconds. @type {Record<string, Step>} */
const FAST = {
  format: (runner) => check(runner, 'oxfmt', ['--check']),
  lint: (runner) => check(runner, 'oxlint', ['--type-aware', '--deny-warnings']),
  types: (runner) => check(runner, 'tsc', ['-b']),
  tests: (runner) => tests(runner),
};

/** @type {Record<string, Step>} */
const LONG = {
  // Apex, its metadata and the components, with the tools of their own lock file.
  apex: (runner) => check(runner, 'node', ['salesforce-package/scripts/check.mjs']),
  'long tests': (runner) => tests(runner, { isLong: true }),
  benches: (runner) => check(runner, 'node', ['scripts/bench.mjs', '--smoke']),
  ...Object.fromEntries(
    NODE_VERSIONS.filter((major) => !process.versions.node.startsWith(`${major}.`)).map((major) => [
      `tests on Node ${major}`,
      async (/** @type {Runner} */ runner) => tests(runner, { node: await nodeOf(major) }),
    ]),
  ),
};

/** Node's own, from Node 22 on; it goes with the folder of the run. */
const NODE_CACHE = 'node-compile-cache';

let interrupted = false;

await script(async () => {
  await ensureModules();
  if (!isFiltered) await ensureAll();
  const before = ownFilesIn(tmpdir());
  const runner = await startRunner({ cwd: root });
  endInOrderWhenInterrupted(runner);

  /** @type {Record<string, Counts>} */
  const counts = {};
  /** @type {Record<string, number>} */
  const seconds = {};
  for (const [name, step] of Object.entries(stepsOfRun())) {
    if (interrupted) break;
    const begun = performance.now();
    counts[name] = await step(runner);
    seconds[name] = (performance.now() - begun) / 1_000;
  }
  if (interrupted) return runner.remove();
  const files = readdirSync(runner.temporary).filter((name) => name !== NODE_CACHE);
  await runner.remove();
  files.push(...ownFilesIn(tmpdir()).filter((name) => !before.includes(name)));
  counts['nothing left'] = nothingLeft(files);
  report(counts, seconds);
});

/** @returns {Record<string, Step>} */
function stepsOfRun() {
  if (isFiltered) return { tests: (runner) => tests(runner, { isLong }) };
  if (given.has('--all')) return { ...FAST, ...LONG };
  return isLong ? LONG : FAST;
}

/** At once, where each by itself would be looked for and loaded alone. */
async function ensureAll() {
  for (const folder of Object.values(folders)) await ensureModules(folder);
  await ensurePackages(Object.values(debianPackages));
}

/**
 * The keepers would clean up after a signal too, but a moment after the prompt is back.
 *
 * @param {Runner} runner
 */
function endInOrderWhenInterrupted({ remove }) {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      interrupted = true;
      process.exitCode = 128 + constants.signals[signal];
      void remove(); // whatever runs now ends with its runner
    });
  }
}

/** @param {Runner} runner @param {string} command @param {string[]} args */
async function check(runner, command, args) {
  console.log(`\n> ${[command, ...args].join(' ')}`);
  const { success, left } = await runner.run(
    ...(command === 'node' ? /** @type {const} */ ([process.execPath, args]) : tool(command, args)),
  );
  const counts = { passed: success ? 1 : 0, failed: success ? 0 : 1, skipped: 0 };
  return withLeft(counts, left);
}

/** @param {Runner} runner @param {{ isLong?: boolean, node?: string }} [options] */
async function tests(runner, { isLong: long = false, node = process.execPath } = {}) {
  console.log(`\n> vitest run ${[...(long ? ['(long)'] : []), ...vitestArguments].join(' ')}`);
  const results = join(runner.folder, 'results.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const args = ['run', '--allowOnly=false', ...reporters, ...vitestArguments];
  const [, words] = tool('vitest', args);
  const { success, left } = await runner.run(node, words, environment({ long, node }));
  const counts = countTests(results);
  // Vitest can fail without a failed test: by a crash, an unhandled error, or for want of tests.
  const ran = counts.passed + counts.failed > 0 || vitestArguments.includes('--changed');
  if (counts.failed === 0 && !(success && ran)) counts.failed = 1;
  return withLeft(counts, left);
}

/** @param {{ long: boolean, node: string }} options @returns {NodeJS.ProcessEnv} */
function environment({ long, node }) {
  const inherited = Object.entries(process.env).filter(([name]) => !REAL_SETTINGS.test(name));
  const { DATABASE_URL } = process.env;
  return {
    ...Object.fromEntries(inherited),
    ...(given.has('--use-env') && DATABASE_URL && { MILLRACE_TEST_DATABASE_URL: DATABASE_URL }),
    ...(long && { MILLRACE_TEST_LONG: '1' }),
    PATH: node === process.execPath ? process.env['PATH'] : pathOf(node),
  };
}

/** @param {Counts} counts @param {import('./leftovers.mjs').Process[]} left */
function withLeft(counts, left) {
  for (const { pid, command } of left) console.log(`Left running: ${pid} ${command}`);
  return { ...counts, failed: counts.failed + left.length };
}

/** @param {string[]} files in the temporary folder @returns {Counts} */
function nothingLeft(files) {
  for (const file of files) console.log(`Left in the temporary folder: ${file}`);
  return { passed: files.length === 0 ? 1 : 0, failed: files.length, skipped: 0 };
}

/** @param {string} file @returns {Counts} */
function countTests(file) {
  const counts = { passed: 0, failed: 0, skipped: 0, files: 0 };
  /** @type {{ testResults: { status: string, assertionResults: { status: string }[] }[] }} */
  const { testResults } = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { testResults: [] };
  for (const { status, assertionResults } of testResults) {
    const count = (/** @type {string} */ wanted) =>
      assertionResults.filter((result) => result.status === wanted).length;
    const passed = count('passed');
    const failed = count('failed');
    counts.files += 1;
    counts.passed += passed;
    // A file that could not be loaded has no tests, and still failed.
    counts.failed += failed === 0 && status === 'failed' ? 1 : failed;
    counts.skipped += assertionResults.length - passed - failed;
  }
  return counts;
}

/**
 * Names the failed steps at the end: by then the first are 15,000 lines up.
 *
 * @param {Record<string, Counts>} counts @param {Record<string, number>} seconds
 */
function report(counts, seconds) {
  const sum = (/** @type {'passed' | 'failed' | 'skipped'} */ key) =>
    Object.values(counts).reduce((total, count) => total + count[key], 0);
  const failed = Object.keys(counts).filter((step) => counts[step]?.failed);
  const took = (/** @type {Record<string, Step>} */ steps) =>
    Math.round(Object.keys(steps).reduce((total, step) => total + (seconds[step] ?? 0), 0));
  console.log(
    `\n${Object.entries(seconds)
      .map(([step, each]) => `${step} ${Math.round(each)} s`)
      .join(', ')}`,
  );
  const files = (counts['tests']?.files ?? 0) + (counts['long tests']?.files ?? 0);
  console.log(`result: tests seconds=${took(FAST)} files=${files} long_seconds=${took(LONG)}`);
  if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}`);
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  console.log(`${sum('passed')} passed, ${sum('failed')} failed${skipped}`);
  if (failed.length > 0) process.exitCode = 1;
}
