// Prettier, in this process: Apex by a native parser, the rest by its own.

import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { format, resolveConfig } from 'prettier';
import * as apex from 'prettier-plugin-apex';
import { filesBelow, toolsRoot } from '../lib/project.mjs';

const FORMATTED = /\.(cls|trigger|js|mjs|html|css)$/;

/** @param {string} project @returns {Promise<string[]>} */
export async function formatting(project) {
  const changed = await unformatted(project);
  return changed.map(
    ({ path }) => `${relative(project, path)} is not formatted. Run: npm run format`,
  );
}

/** @param {string} project @returns {Promise<string[]>} the files it has written */
export async function formatAll(project) {
  const changed = await unformatted(project);
  for (const { path, text } of changed) writeFileSync(path, text);
  return changed.map(({ path }) => relative(project, path));
}

/** @param {string} project */
async function unformatted(project) {
  const changed = [];
  const config = join(toolsRoot, '.prettierrc.json');
  const files = ['force-app', 'scripts'].flatMap((folder) => filesBelow(join(project, folder)));
  for (const path of files.filter((each) => FORMATTED.test(each))) {
    const options = await resolveConfig(path, { config });
    const source = readFileSync(path, 'utf8');
    const text = await format(source, { ...options, plugins: [apex], filepath: path });
    if (text !== source) changed.push({ path, text });
  }
  return changed;
}
