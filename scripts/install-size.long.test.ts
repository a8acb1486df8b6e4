import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { MODULES_MEGABYTES } from './announcement.mjs';
import { installed, root } from './setup.mjs';

// 44,000 files are looked at.
test('node_modules has the size that npm start announces, and every package in place', () => {
  const modules = join(root, 'node_modules');
  let bytes = 0;
  // Caches of tools, and other versions of Node, are in folders that begin with a dot.
  const isOwn = (path: string) => !relative(modules, path).startsWith('.');
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && isOwn(entry.parentPath))
      bytes += statSync(join(entry.parentPath, entry.name)).size;
  expect(Math.abs(bytes / 1_048_576 / MODULES_MEGABYTES - 1)).toBeLessThan(0.15);
  const { there, all } = installed(root);
  expect(there).toBe(all);
  expect(all).toBeGreaterThan(300);
});
