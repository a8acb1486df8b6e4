// What is inside an installed `millrace` with its command line and server, as CycloneDX, by npm's own hand.
//
// Not by `npm sbom` in the repository: with workspaces it leaves out whatever is a developer's dependency of any of them, zod and
// pg among it (npm 11.19), and calls workspaces by their folders. So npm is shown the lock file of a project that has millrace
// and nothing else, cut out of ours.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, quietly, root } from '../setup.mjs';

/**
 * @typedef {object} Entry of a lock file
 * @property {string} [name]
 * @property {string} [version]
 * @property {string} [resolved]
 * @property {string} [integrity]
 * @property {string} [license]
 * @property {boolean} [link]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {object} [peerDependenciesMeta]
 * @property {Record<string, string>} [devDependencies] of a workspace
 *
 * @typedef {Record<string, Entry>} Entries by where it is installed
 */

export async function sbom() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const work = mkdtempSync(join(tmpdir(), 'millrace-sbom-'));
  try {
    const folder = join(work, 'millrace'); // npm calls what is described by the name of its folder
    mkdirSync(folder);
    const { lock, manifest } = projectWith('millrace', packages);
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
    return await quietly(...npm([...args, '--package-lock-only']), { cwd: folder });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * A project that is the package itself, with all that it needs or can use at run time, each where the repository has it.
 *
 * @param {string} name @param {Entries} entries of the repository's lock file
 */
export function projectWith(name, entries) {
  /** @type {Entries} */
  const found = {};
  const top = placeOf(name, '', entries);
  const waiting = [top ?? ''];
  for (const place of waiting) {
    const { entry, at } = reached(place, entries);
    if (at in found) continue;
    const { devDependencies: _, peerDependencies, peerDependenciesMeta: __, ...rest } = entry;
    const { optionalDependencies = {} } = entry;
    // The command line and the server are optional for `millrace`. A release has them.
    const dependencies = { ...entry.dependencies, ...(place === top && peerDependencies) };
    found[at] = { ...rest, dependencies, optionalDependencies };
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = placeOf(needed, place, entries);
      if (next !== null) waiting.push(next);
      else if (needed in dependencies)
        throw new Error(`${needed}, for ${at}, is not in the lock file.`);
    }
  }
  const { [`node_modules/${name}`]: own, ...packages } = found;
  const manifest = { ...own, name };
  return {
    manifest,
    lock: {
      name,
      version: own?.version,
      lockfileVersion: 3,
      requires: true,
      packages: { '': manifest, ...packages },
    },
  };
}

/**
 * As Node looks for it: from the folder upwards. A link leads to a workspace.
 *
 * @param {string} name @param {string} from @param {Entries} entries @returns {string | null}
 */
function placeOf(name, from, entries) {
  const place = from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`;
  const entry = entries[place];
  if (entry?.link === true) return entry.resolved ?? null;
  if (entry !== undefined) return place;
  return from === '' ? null : placeOf(name, from.split('/').slice(0, -1).join('/'), entries);
}

/**
 * Where a package stands in the project: a workspace, and what is installed in its folder, under its name.
 *
 * @param {string} place @param {Entries} entries
 */
function reached(place, entries) {
  const entry = entries[place];
  if (entry === undefined) throw new Error(`${place} is not in the lock file.`);
  const [folder = ''] = place.split('/node_modules/');
  if (folder.startsWith('node_modules/')) return { entry, at: place };
  // npm leaves the name out where it is that of the folder.
  const name = entries[folder]?.name ?? folder.split('/').at(-1);
  return { entry, at: `node_modules/${name}${place.slice(folder.length)}` };
}
