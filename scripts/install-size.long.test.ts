import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MODULES_MEGABYTES } from './announcement.mjs';
import { installed, root } from './setup.mjs';

// 44,000 files are looked at.
test('node_modules has the size that npm start announces, and every package in place', () => {
  const modules = join(root, 'node_modules');
  let bytes = 0;
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  expect(Math.abs(bytes / 1_048_576 / MODULES_MEGABYTES - 1)).toBeLessThan(0.15);
  const { there, all } = installed(root);
  expect(there).toBe(all);
  expect(all).toBeGreaterThan(300);
});
