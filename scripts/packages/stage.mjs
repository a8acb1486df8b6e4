// A workspace as it is packed: what was built, without the sources, their maps and what only developers need, and with
// what it reads from the repository while it runs.

import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { root } from '../setup.mjs';
import { notices } from './notices.mjs';

/** @typedef {import('./list.mjs').Workspace} Workspace */
/** @typedef {import('./list.mjs').Manifest} Manifest */

/** The condition under which the repository's own tools find sources. A tarball has none. */
const SOURCES = 'millrace-source';
const CONSOLE = 'console';

const OBJECTS_AND_APEX = ['objects', 'classes', 'triggers'].map(
  (name) => `salesforce-package/force-app/main/default/${name}`,
);
/**
 * Parts of the repository, by who reads them, under the same path in the package: the simulated org has the Salesforce package
 * in it, and its first documents are invoices; the server has the documentation. `lab/simulators/salesforce/src/package.ts`,
 * `server/src/sandbox-org.ts` and `server/src/docs/site.ts` look here.
 *
 * @type {Record<string, { paths: string[], leavesOut: (path: string) => boolean }>}
 */
const BORROWED = {
  'lab/simulators/salesforce': {
    paths: [...OBJECTS_AND_APEX, 'salesforce-package/scripts/apex-run'],
    // Left out of the interpreter: the runner of Apex tests and the metadata reader, which need another library.
    leavesOut: (path) =>
      /apex-run\/(org|races|schema|standard|tests)\.mjs$/.test(path) || isApexTest(path),
  },
  server: {
    paths: ['examples/invoice/template.docx', 'examples/invoice/data.json', 'docs/site/dist'],
    leavesOut: (path) => path.endsWith('.millrace-stamp'),
  },
};

/** @param {string} path */
function isApexTest(path) {
  const source = path.replace(/-meta\.xml$/, '');
  return source.endsWith('.cls') && /^\s*@IsTest/im.test(readFileSync(source, 'utf8'));
}

/**
 * Copies a workspace into a folder from which `npm pack` takes what its `files` name.
 *
 * @param {Workspace} workspace @param {string} target @param {Repository | null} repository
 */
export function stage({ folder, manifest }, target, repository) {
  const from = join(root, folder);
  mkdirSync(target, { recursive: true });
  for (const name of topFolders(manifest)) {
    const source = join(from, name);
    if (!existsSync(source)) continue; // borrowed
    cpSync(source, join(target, name), {
      recursive: true,
      filter: (path) => !path.split(sep).includes('node_modules'),
    });
  }
  if (folder !== CONSOLE) cleanBuild(from, join(target, 'dist'));
  borrow(folder, target);
  if (folder === CONSOLE) writeFileSync(join(target, 'THIRD-PARTY-NOTICES.txt'), notices(manifest));
  cpSync(join(from, 'README.md'), join(target, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  const packed = packedManifest(manifest, repository && { ...repository, directory: folder });
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
}

/** @param {Manifest} manifest */
function topFolders({ name, files }) {
  if (files === undefined) throw new Error(`${name} has no "files": it would pack everything.`);
  return new Set(
    files.map((pattern) => pattern.split('/')[0] ?? '').filter((each) => !each.endsWith('.txt')),
  );
}

/**
 * Leaves out of `dist` what no source stands for any more (the compiler removes nothing), and the addresses of source maps,
 * which are not packed.
 *
 * @param {string} from the workspace @param {string} dist
 */
function cleanBuild(from, dist) {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !/\.(js|d\.ts)$/.test(path)) continue;
    const source = join(from, 'src', relative(dist, path).replace(/(\.d\.ts|\.js)$/, '.ts'));
    if (existsSync(source)) {
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, text.replace(/^\/\/# sourceMappingURL=.*\n?/m, ''));
    } else {
      rmSync(path);
    }
  }
}

/** @param {string} folder @param {string} target */
function borrow(folder, target) {
  const { paths, leavesOut } = BORROWED[folder] ?? { paths: [], leavesOut: () => false };
  for (const path of paths) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(root, path), join(target, path), {
      recursive: true,
      filter: (each) => !leavesOut(each.split(sep).join('/')),
    });
  }
}

/**
 * @typedef {{ type: 'git', url: string }} Repository
 * @param {Manifest} manifest @param {(Repository & { directory: string }) | null} repository
 */
function packedManifest(manifest, repository) {
  const { devDependencies: _, scripts: __, exports: offered, ...kept } = manifest;
  return {
    ...kept,
    ...(offered && { exports: withoutSources(offered) }),
    ...(repository && { repository }),
  };
}

/** @param {Record<string, unknown>} offered */
function withoutSources(offered) {
  return Object.fromEntries(
    Object.entries(offered).map(([path, conditions]) => {
      if (conditions === null || typeof conditions !== 'object') return [path, conditions];
      return [
        path,
        Object.fromEntries(Object.entries(conditions).filter(([name]) => name !== SOURCES)),
      ];
    }),
  );
}
