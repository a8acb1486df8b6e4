// Versions of Node that Millrace runs on, for the tests.

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { npm, quietly, root } from './setup.mjs';

/** The newest of each that npm had when this was written. */
const VERSIONS = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' };

/** @typedef {keyof typeof VERSIONS} Major */

export const NODE_VERSIONS = /** @type {Major[]} */ (Object.keys(VERSIONS).map(Number));

/**
 * The program of a version of Node: the one that runs this, or one from npm's packages of them (those that the package `node`
 * installs), kept where npm cleans up last. 40 MB each to load, once.
 *
 * @param {Major} major
 */
export async function nodeOf(major) {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const version = VERSIONS[major];
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  const folder = join(root, 'node_modules/.cache/nodes', version);
  const program = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  const file = join(folder, 'node_modules', name, program);
  if (!existsSync(file)) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`];
    await quietly(...npm(args), { cwd: folder });
  }
  return file;
}

/** An environment in which `node` and `npx` are those of a version. @param {string} node */
export function pathOf(node) {
  return [dirname(node), process.env['PATH'] ?? ''].join(process.platform === 'win32' ? ';' : ':');
}
