// An empty database of PGlite, in `dist` of the Postgres store: every new embedded database is a copy of it.

import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { root } from './setup.mjs';

const store = join(root, 'stores', 'postgres');
const archive = join(store, 'dist', 'embedded', 'new.tar.br');

/** Whether there is one of the PGlite that package.json names, exactly. */
export function hasNewDatabase() {
  return (
    existsSync(archive) && statSync(archive).mtimeMs > statSync(join(store, 'package.json')).mtimeMs
  );
}

export async function ensureNewDatabase() {
  if (hasNewDatabase()) return;
  // Only here: the packages may not be installed yet when this file is loaded.
  const { PGlite } = await import('@electric-sql/pglite');
  const pglite = await PGlite.create();
  const tar = Buffer.from(await (await pglite.dumpDataDir('none')).arrayBuffer());
  await pglite.close();
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants;
  // Three databases with the same catalogs: a window of 16 MB sees that they are the same. 40 MB become 1.5 in 2 s; gzip makes 4.5 of them.
  const params = { [BROTLI_PARAM_QUALITY]: 9, [BROTLI_PARAM_LGWIN]: 24 };
  mkdirSync(dirname(archive), { recursive: true });
  writeFileSync(`${archive}.new`, brotliCompressSync(tar, { params }));
  renameSync(`${archive}.new`, archive);
}
