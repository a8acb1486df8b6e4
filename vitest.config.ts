import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Workspaces import each other by package name. `millrace-source` is the condition under which
  // their package.json offers the sources, so no test runs against a stale dist. The others are
  // Vite's own, but for `module`: plain Node does not know it, and what OpenTelemetry offers there is
  // for bundlers only.
  ssr: { resolve: { conditions: ['millrace-source', 'node', 'development|production'] } },
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    pool: 'forks',
    maxWorkers: availableParallelism(), // Vitest would leave one of two cores idle
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
