// npm test: installs what is missing, starts private servers, runs every check, and ends with the
// line `N passed, M failed`.
//
//   npm test -- engine/       the arguments go to vitest
//   npm test -- --use-env     DATABASE_URL and REDIS_URL, where set, are the servers to test on

import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import {
  debianPackages,
  fontPackages,
  startPostgres,
  startRedis,
  startRunner,
} from './services.mjs';
import { ensureConsole, ensureModules, ensurePackages, root, script, tool } from './setup.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/** @typedef {Awaited<ReturnType<typeof startAll>>} Started */

const USE_ENV = '--use-env';
const useEnv = process.argv.includes(USE_ENV);
const vitestArguments = process.argv.slice(2).filter((argument) => argument !== USE_ENV);

/** The other queues: the guides for people who come from one of them are tried on both sides. */
const BENCH = join(root, 'bench');
const SALESFORCE_PACKAGE = join(root, 'salesforce-package');
/** 95 MB that a start does without; the tests of queries run their SQL on it. */
const DUCKDB = join(root, 'simulators', 'marketing-cloud', 'duckdb');
/** VitePress, for the documentation as a site. */
const SITE = join(root, 'docs', 'site');
/** 76 MB that one test runs on. */
const PRISMA = join(root, 'millrace', 'test', 'prisma');

// What configures a real installation must not reach the tests: they would run on its data.
const REAL_SETTINGS =
  /^(DATABASE_URL|REDIS_URL|PG|SALESFORCE_|POLLER_|MCE_|MILLRACE_(?!TEST_)|ISSUER$|AUDIENCE$|JWKS_URI$|AUTH_BYPASS|AZURE_|OTEL_|ENABLE_TELEMETRY)/;

let interrupted = false;

await script(async () => {
  await ensureModules();
  await ensureModules(SALESFORCE_PACKAGE);
  await ensureModules(DUCKDB);
  await ensureModules(SITE);
  await ensureModules(BENCH);
  await ensureModules(PRISMA);
  await ensureConsole();
  const started = await startAll();
  endInOrderWhenInterrupted(started);

  /** @type {Record<string, Counts>} */
  const counts = {};
  for (const step of [format, lint, types, salesforcePackage, site, tests]) {
    if (!interrupted) counts[step.name] = await step(started);
  }
  await started.remove();
  if (!interrupted) report(counts);
});

async function startAll() {
  const { DATABASE_URL, REDIS_URL } = useEnv ? process.env : {};
  await ensurePackages([
    debianPackages.prometheus,
    debianPackages.office,
    ...fontPackages,
    debianPackages.java,
    debianPackages.pdf,
    debianPackages.browser,
    debianPackages.objectStorage,
    ...(DATABASE_URL ? [] : [debianPackages.postgres]),
    ...(REDIS_URL ? [] : [debianPackages.redis]),
  ]);
  const foreign = (/** @type {string} */ url) => ({ url, remove: async () => {} });
  const [runner, postgres, redis] = await Promise.all([
    startRunner({ cwd: root }),
    DATABASE_URL ? foreign(DATABASE_URL) : startPostgres({ settings: { fsync: 'off' } }),
    REDIS_URL ? foreign(REDIS_URL) : startRedis(),
  ]);
  return {
    runner,
    urls: { MILLRACE_TEST_DATABASE_URL: postgres.url, MILLRACE_TEST_REDIS_URL: redis.url },
    remove: () => Promise.all([runner.remove(), postgres.remove(), redis.remove()]),
  };
}

/**
 * The keepers would clean up after a signal too, but a moment after the prompt is back.
 *
 * @param {Started} started
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

/** @param {Started} started */
function format(started) {
  return check(started, 'oxfmt', ['--check']);
}

/** @param {Started} started */
function lint(started) {
  return check(started, 'oxlint', ['--type-aware', '--deny-warnings']);
}

/** @param {Started} started */
function types(started) {
  return check(started, 'tsc', ['-b']);
}

/** Apex, its metadata and the components, with the tools of their own lock file. @param {Started} started */
function salesforcePackage(started) {
  return check(started, process.execPath, [join(SALESFORCE_PACKAGE, 'scripts', 'check.mjs')]);
}

/** Before the tests, of which several take it from where it was built. @param {Started} started */
function site(started) {
  return check(started, process.execPath, [join(root, 'scripts', 'docs.mjs')]);
}

/** @param {Started} started @param {string} command @param {string[]} args */
async function check({ runner }, command, args) {
  console.log(`\n> ${[command, ...args].map((each) => each.replace(`${root}/`, '')).join(' ')}`);
  const success = await runner.run(
    ...(command === process.execPath
      ? /** @type {const} */ ([command, args])
      : tool(command, args)),
  );
  return { passed: success ? 1 : 0, failed: success ? 0 : 1, skipped: 0 };
}

/** @param {Started} started */
async function tests({ runner, urls }) {
  const results = join(runner.folder, 'results.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const inherited = Object.entries(process.env).filter(([name]) => !REAL_SETTINGS.test(name));
  const args = ['run', '--allowOnly=false', ...reporters, ...vitestArguments];
  const success = await runner.run(...tool('vitest', args), {
    ...Object.fromEntries(inherited),
    ...urls,
  });
  const counts = countTests(results);
  // Vitest can fail without a failed test: by a crash, an unhandled error, or for want of tests.
  const ran = counts.passed + counts.failed > 0;
  if (counts.failed === 0 && !(success && ran)) counts.failed = 1;
  return counts;
}

/** @param {string} file @returns {Counts} */
function countTests(file) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  /** @type {{ testResults: { status: string, assertionResults: { status: string }[] }[] }} */
  const { testResults } = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { testResults: [] };
  for (const { status, assertionResults } of testResults) {
    const count = (/** @type {string} */ wanted) =>
      assertionResults.filter((result) => result.status === wanted).length;
    const passed = count('passed');
    const failed = count('failed');
    counts.passed += passed;
    // A file that could not be loaded has no tests, and still failed.
    counts.failed += failed === 0 && status === 'failed' ? 1 : failed;
    counts.skipped += assertionResults.length - passed - failed;
  }
  return counts;
}

/** Names the failed steps at the end: by then the first are 15,000 lines up. @param {Record<string, Counts>} counts */
function report(counts) {
  const sum = (/** @type {keyof Counts} */ key) =>
    Object.values(counts).reduce((total, count) => total + count[key], 0);
  const failed = Object.keys(counts).filter((step) => counts[step]?.failed);
  if (failed.length > 0) console.log(`Failed: ${failed.join(', ')}`);
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  console.log(`${sum('passed')} passed, ${sum('failed')} failed${skipped}`);
  if (failed.length > 0) process.exitCode = 1;
}
