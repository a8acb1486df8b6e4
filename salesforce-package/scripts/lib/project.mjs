import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the tools are installed: the package itself, also when a copy of it is checked. */
export const toolsRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Where the sources are. */
export const packageRoot = toolsRoot;

/** Every file below a folder, in a fixed order. @param {string} folder @returns {string[]} */
export function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}
