// All packages as tarballs, by npm's own hand.

import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, quietly } from '../setup.mjs';
import { publishedPackages } from './list.mjs';
import { stage } from './stage.mjs';

/** @typedef {{ name: string, file: string, bytes: number, unpackedBytes: number, files: string[] }} Packed */

/**
 * Writes a tarball of each published package into the folder, which is emptied before. They come in the order to publish them.
 *
 * @param {string} target @returns {Promise<Packed[]>}
 */
export async function packAll(target) {
  const work = mkdtempSync(join(tmpdir(), 'millrace-pack-'));
  try {
    const packages = publishedPackages();
    const folders = packages.map(({ manifest }) => folderOf(manifest.name));
    for (const [index, each] of packages.entries())
      stage(each, join(work, folders[index] ?? ''), repository());
    mkdirSync(join(work, 'packed'));
    // All at once, by paths without a space: 28 calls would take 28 times half a second.
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', 'packed'];
    const said = await quietly(...npm([...args, ...folders.map((name) => `./${name}`)]), {
      cwd: work,
    });
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    cpSync(join(work, 'packed'), target, { recursive: true });
    return packedOf(said, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} name */
function folderOf(name) {
  return name.replace('@', '').replace('/', '-');
}

/** @param {string} said @param {string} target @returns {Packed[]} */
function packedOf(said, target) {
  /** @type {{ name: string, filename: string, unpackedSize: number, files: { path: string }[] }[]} */
  const all = JSON.parse(said);
  return all.map(({ name, filename, unpackedSize, files }) => {
    const file = join(target, filename);
    const paths = files.map(({ path }) => path);
    return { name, file, bytes: statSync(file).size, unpackedBytes: unpackedSize, files: paths };
  });
}

/**
 * Where npm says that a package was built, which is the only place from where it publishes with provenance: a workflow of
 * GitHub. Elsewhere nobody knows, and nothing is said.
 *
 * @returns {import('./stage.mjs').Repository | null}
 */
function repository() {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
  if (!GITHUB_SERVER_URL || !GITHUB_REPOSITORY) return null;
  return { type: 'git', url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git` };
}
