import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('brings no test runner along, nor anything else that a test has not asked for', async () => {
  const { metafile } = await build({
    entryPoints: [join(import.meta.dirname, 'index.ts')],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    conditions: ['millrace-source'],
  });
  const packages = Object.keys(metafile.inputs).flatMap(
    (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [],
  );
  expect([...new Set(packages)].toSorted()).toEqual(['croner', 'zod']);
});
