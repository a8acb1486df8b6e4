import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/** What strangers read first leads where it says. */

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

it.each([
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  'docs/first-job.md',
  'examples/jobs/README.md',
  'jobs/README.md',
  'scripts/README.md',
])('%s leads only to what is there', (file) => {
  const targets = [...read(file).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(
    ([, target = '']) => target,
  );
  const local = targets.filter((target) => !/^https?:/.test(target));
  expect(local.filter((target) => !existsSync(join(root, dirname(file), target)))).toEqual([]);
});

it('the hosted CI runs .ci/run, which can be run', () => {
  expect(read('.github/workflows/ci.yml')).toMatch(/^ +- run: \.ci\/run$/m);
  expect(statSync(join(root, '.ci/run')).mode & 0o111).not.toBe(0);
});
