import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type BuiltFiles, readBuilt } from '../http/built-files.ts';

let read: BuiltFiles | null = null;

/** The built console (about 4 MB, read once in a process), or null where it was not built. */
export function readConsole(): BuiltFiles | null {
  try {
    const manifest = createRequire(import.meta.url).resolve('@millrace/console/package.json');
    read ??= readBuilt(join(dirname(manifest), 'dist'));
    return read;
  } catch {
    return null;
  }
}
