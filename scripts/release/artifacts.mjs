// The files of a release beside the tarballs of its packages, and their checksums.

import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { quietly, root } from '../setup.mjs';
import { collectionOf } from './collection.mjs';
import { contextFiles } from './context.mjs';
import { sbom } from './sbom.mjs';

const OPERATIONS = 'docs/operations';

/**
 * What people deploy with: the image's build context, the chart, the template for Azure, the Salesforce package.
 *
 * @param {string} target @param {string} version @param {string[]} files all that git has
 */
export async function writeDeployment(target, version, files) {
  const dockerignore = readFileSync(join(root, OPERATIONS, 'Dockerfile.dockerignore'), 'utf8');
  await archive(join(target, 'image-context.tar.gz'), root, contextFiles(files, dockerignore));
  const below = (/** @type {string} */ folder) =>
    files.filter((path) => path.startsWith(`${folder}/`));
  const charts = `${OPERATIONS}/helm`;
  await archive(
    join(target, `millrace-chart-${version}.tgz`),
    join(root, charts),
    below(charts).map((path) => path.slice(charts.length + 1)),
  );
  cpSync(join(root, OPERATIONS, 'container-app.bicep'), join(target, 'container-app.bicep'));
  await archive(join(target, `salesforce-package-${version}.tgz`), root, [
    'salesforce-package/README.md',
    'salesforce-package/sfdx-project.json',
    'salesforce-package/scripts/connection.mjs',
    ...below('salesforce-package/force-app'),
  ]);
}

/**
 * What programs read: the API's description, requests to try it with, and everything that is inside.
 *
 * @param {string} target @param {string} version
 */
export async function writeDescriptions(target, version) {
  const { openApi } = await import(pathToFileURL(join(root, 'api/dist/index.js')).href);
  const document = openApi({ version });
  const json = (/** @type {unknown} */ value) => `${JSON.stringify(value, null, 2)}\n`;
  writeFileSync(join(target, 'openapi.json'), json(document));
  writeFileSync(join(target, 'millrace.postman_collection.json'), json(collectionOf(document)));
  writeFileSync(join(target, 'sbom.cdx.json'), await sbom());
}

/** For `sha256sum --check SHA256SUMS`. @param {string} target */
export function writeChecksums(target) {
  const lines = readdirSync(target, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
    .map((path) => {
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex');
      return `${hash}  ${relative(target, path).split(sep).join('/')}`;
    });
  writeFileSync(join(target, 'SHA256SUMS'), `${lines.join('\n')}\n`);
}

/** By tar, which Windows has too. @param {string} file @param {string} folder @param {string[]} paths */
async function archive(file, folder, paths) {
  const work = mkdtempSync(join(tmpdir(), 'millrace-archive-'));
  try {
    const list = join(work, 'files');
    writeFileSync(list, paths.map((path) => `${path}\n`).join(''));
    await quietly('tar', ['-czf', file, '-C', folder, '-T', list]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
