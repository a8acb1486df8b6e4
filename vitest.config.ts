import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** `npm test` runs the fast ones; scripts/README.md says what the others are. */
const LONG = ['**/*.long.test.ts'];
const isLong = process.env['MILLRACE_TEST_LONG'] !== undefined;
const SUITE = isLong ? [...LONG, '**/*.both.test.ts'] : ['**/*.test.ts'];
const OFF = ['**/node_modules/**', '**/dist/**', ...(isLong ? [] : LONG)];

export default defineConfig({
  // Workspaces import each other by package name. `millrace-source` is the condition under which
  // their package.json offers the sources, so no test runs against a stale dist. The others are
  // Vite's own, but for `module`: plain Node does not know it, and what OpenTelemetry offers there is
  // for bundlers only.
  ssr: { resolve: { conditions: ['millrace-source', 'node', 'development|production'] } },
  test: {
    include: SUITE,
    exclude: OFF,
    // Test files follow each other in one process, so that what they import is loaded once and not for each file, which was a third of
    // their time. So they leave nothing behind in globals, and helpers call `beforeEach` in a function that each file calls.
    isolate: false,
    // What was compiled is kept for the next run, on another version of Node too: 15 s of a processor for 60 files.
    experimental: { fsModuleCache: true },
    globalSetup: 'scripts/needs.mjs',
    setupFiles: 'scripts/as-it-was.ts',
    pool: 'forks',
    // As the server's process: a database in WebAssembly is compiled once (docs/decisions/0009-embedded-database.md).
    execArgv: ['--liftoff-only'],
    // Tests wait a sixth of their time for servers, browsers and other processes.
    maxWorkers: availableParallelism() + 1,
    // For what hangs. A busy machine takes its time, and that is no fault.
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
