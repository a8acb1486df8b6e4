// The documentation as a site, in docs/site/dist. `npm run docs` builds it, and so does whoever packs the server.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuild, ensureModules, quietly, root } from './setup.mjs';

const SITE = join(root, 'docs', 'site');
const BUILT = join(SITE, 'dist');
const STAMP = join(BUILT, '.millrace-stamp');

/**
 * Builds the site, unless nothing that it is made of has changed since the last time. The packages of the root are there already. Gives its folder, to be copied to
 * `site/` of the server's package (server/src/docs/site.ts finds it there).
 */
export async function ensureSite() {
  await ensureModules(SITE);
  await ensureBuild();
  const wanted = contentOf();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return BUILT;
  console.log('Building the documentation (vitepress) …');
  await quietly(process.execPath, ['build.mjs'], { cwd: SITE });
  writeFileSync(STAMP, wanted);
  return BUILT;
}

/** A hash of all that the site is made of: Markdown, pictures, its own files, and the page of the API. */
function contentOf() {
  const pages = readdirSync(root).filter((name) => name.endsWith('.md'));
  const sources = ['docs', 'server/dist/docs', 'api/dist'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(md|mjs|css|svg|png|js|json)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !/docs[\\/]site[\\/](node_modules|dist|\.vitepress[\\/]cache)/.test(path)),
  );
  const hash = createHash('sha256');
  for (const path of [...pages.map((name) => join(root, name)), ...sources.toSorted()])
    hash.update(path).update('\0').update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}
