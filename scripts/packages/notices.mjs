// The licences of what the console's bundle is made of: most of them ask that their text goes along.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../setup.mjs';

/** Work on the bundle and leave nothing of themselves in it. */
const BUILDS = /^(@types\/|@vitejs\/|@tailwindcss\/)/;
const OURS = /^(@millrace\/|millrace$)/;

/**
 * One text, with a section for each package. A package too many does no harm: what the bundler leaves out is among them.
 *
 * @param {import('./list.mjs').Manifest} manifest of the console, which is bundled and so has everything as devDependencies
 */
export function notices({ devDependencies = {} }) {
  /** @type {Map<string, string>} by name and version */
  const sections = new Map();
  const walk = (/** @type {string} */ name, /** @type {string} */ from) => {
    const folder = findPackage(name, from);
    if (folder === null) return; // optional, and not for this system
    const {
      version,
      license,
      dependencies = {},
    } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const title = `${name} ${version} (${license})`;
    if (sections.has(title)) return;
    sections.set(title, licenceIn(folder));
    for (const next of Object.keys(dependencies)) walk(next, folder);
  };
  const bundled = Object.keys(devDependencies).filter(
    (name) => !BUILDS.test(name) && !OURS.test(name),
  );
  for (const name of bundled) walk(name, join(root, 'console'));
  const all = [...sections].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const intro = 'The console is bundled with parts of the packages below, under their licences.';
  return `${[intro, ...all.map(([title, text]) => `${'-'.repeat(72)}\n${title}\n\n${text}`)].join('\n\n')}\n`;
}

/** As Node looks for it. @param {string} name @param {string} from @returns {string | null} */
function findPackage(name, from) {
  const folder = join(from, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  return from === root || dirname(from) === from ? null : findPackage(name, dirname(from));
}

/** @param {string} folder */
function licenceIn(folder) {
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)(\.|$)/i.test(name));
  return file === undefined
    ? 'It comes without a text of its own.'
    : readFileSync(join(folder, file), 'utf8').trim();
}
