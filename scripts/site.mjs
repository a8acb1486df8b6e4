// The documentation as a site, in docs/site/dist. `npm run docs` builds it, and so do `npm run pack` and `npm run release`.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuild, ensureModules, quietly, root } from './setup.mjs';

const SITE = join(root, 'docs', 'site');
const BUILT = join(SITE, 'dist');
const STAMP = join(BUILT, '.millrace-stamp');
/** What was installed or built there. */
const MADE = new Set(['node_modules', 'dist', 'cache', '.temp']);

/**
 * Builds the site, unless nothing that it is made of has changed since the last time. The packages of the root are there
 * already. Gives its folder.
 */
export async function ensureSite() {
  await ensureModules(SITE);
  await ensureBuild();
  const wanted = await contentOf();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return BUILT;
  console.log('Building the documentation (vitepress) …');
  // Whatever the environment says, as for the console: a test has NODE_ENV=test.
  const env = { ...process.env, NODE_ENV: 'production' };
  await quietly(process.execPath, ['build.mjs'], { cwd: SITE, env });
  writeFileSync(STAMP, wanted);
  return BUILT;
}

/** A hash of all that the site is made of: Markdown, pictures, its own files, and the page of the API. */
async function contentOf() {
  const pages = readdirSync(root).filter((name) => name.endsWith('.md'));
  const hash = createHash('sha256').update(await referencePage());
  for (const path of [...pages, ...sourcesIn('docs')])
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex');
}

/** @param {string} folder @returns {string[]} */
function sourcesIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return MADE.has(entry.name) ? [] : sourcesIn(path);
      return /\.(md|mjs|css|svg|png|json)$/.test(path) ? [path] : [];
    })
    .toSorted();
}

/** By the built server, which is not there yet when this file is loaded. */
async function referencePage() {
  const built = (/** @type {string} */ path) => import(pathToFileURL(join(root, path)).href);
  const [{ docsPage }, { openApi }, { VERSION }] = await Promise.all(
    ['server/dist/docs/page.js', 'api/dist/index.js', 'server/dist/version.js'].map(built),
  );
  return /** @type {{ html: string }} */ (docsPage(openApi({ version: VERSION }))).html;
}
