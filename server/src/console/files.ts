import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type BuiltFiles, readBuilt } from '../http/built-files.ts';

/** The built console (about 4 MB), or null where it was not built. */
export function readConsole(): BuiltFiles | null {
  try {
    const manifest = createRequire(import.meta.url).resolve('@millrace/console/package.json');
    return readBuilt(join(dirname(manifest), 'dist'));
  } catch {
    return null;
  }
}
