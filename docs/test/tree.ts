import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** Neither ours nor kept: what was installed, built or written while running. */
const LEFT_OUT = new Set(['node_modules', 'dist', 'build']);

/** The files of the project that end so, from the root, in their order. */
export function filesOf(ending: RegExp, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !LEFT_OUT.has(name))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return filesOf(ending, path);
      return ending.test(entry.name) ? [path] : [];
    })
    .toSorted();
}

export function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
