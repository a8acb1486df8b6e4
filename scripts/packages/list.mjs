// The packages that people install: every workspace that is not private.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, workspaceFolders } from '../setup.mjs';

/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {boolean} [private]
 * @property {string[]} [files]
 * @property {Record<string, unknown>} [exports]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [devDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [scripts]
 *
 * @typedef {{ folder: string, manifest: Manifest }} Workspace folder: from the root
 */

/** @param {string} folder @returns {Manifest} */
export function readManifest(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

/** @returns {Workspace[]} */
export function workspaces() {
  return workspaceFolders().map((folder) => ({ folder, manifest: readManifest(folder) }));
}

/**
 * Each after those that it depends on, which is the order to publish them in: nobody can install one before.
 *
 * @returns {Workspace[]}
 */
export function publishedPackages() {
  const waiting = workspaces().filter(({ manifest }) => manifest.private !== true);
  const names = new Set(waiting.map(({ manifest }) => manifest.name));
  /** @type {Workspace[]} */
  const ordered = [];
  const done = new Set();
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ manifest }) =>
      Object.keys(manifest.dependencies ?? {}).every((name) => !names.has(name) || done.has(name)),
    );
    const [found] = waiting.splice(next, 1);
    if (next === -1 || found === undefined)
      throw new Error('Packages depend on each other in a circle.');
    ordered.push(found);
    done.add(found.manifest.name);
  }
  return ordered;
}

/**
 * What would make an installation fail or mix versions: sentences, none where all is well.
 *
 * @param {Workspace[]} all @param {string} version
 */
export function faultsOf(all, version) {
  const byName = new Map(all.map(({ manifest }) => [manifest.name, manifest]));
  return all.flatMap(({ folder, manifest }) => {
    const { dependencies = {}, peerDependencies = {} } = manifest;
    const ours = Object.entries({ ...dependencies, ...peerDependencies }).filter(([name]) =>
      byName.has(name),
    );
    const isPublished = manifest.private !== true;
    return [
      ...(manifest.version === version
        ? []
        : [`${folder}/package.json has version ${manifest.version}, the root has ${version}.`]),
      ...ours.flatMap(([name, range]) =>
        range === version
          ? []
          : [`${folder}/package.json asks for ${name} ${range}, not ${version}.`],
      ),
      ...ours.flatMap(([name]) =>
        isPublished && byName.get(name)?.private === true
          ? [`${folder}/package.json needs ${name}, which is private.`]
          : [],
      ),
    ];
  });
}
