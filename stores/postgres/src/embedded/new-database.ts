import { existsSync, renameSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

/**
 * An empty database, made when Millrace was built (scripts/new-database.mjs): to run initdb here would take 4 s of a processor and
 * keep 300 MB of memory until the process ends, to copy its result takes 0.2 s and nothing.
 */
const ARCHIVE = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/embedded/new.tar.br' : './new.tar.br',
  import.meta.url,
);

/**
 * Makes a database, unless the folder is there. It gets its name when everything is in it: what a killed process left of it is
 * never taken for a database. `sync` is called with everything that has to be on the disk first.
 */
export async function createDatabase(
  dataDir: string,
  sync: (paths: readonly string[]) => void = () => {},
): Promise<void> {
  if (existsSync(dataDir)) return;
  const unfinished = `${dataDir}.new`;
  await rm(unfinished, { recursive: true, force: true });
  const written = [unfinished];
  // As Postgres wants it: nobody else may read.
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  for (const { name, bytes } of entriesOf(await emptyDatabase())) {
    const path = join(unfinished, name);
    if (bytes === null) await mkdir(path, { recursive: true, mode: 0o700 });
    else await writeFile(path, bytes, { mode: 0o600 });
    written.push(path);
  }
  sync(written.toReversed());
  renameSync(unfinished, dataDir);
  sync([dirname(dataDir)]);
}

/**
 * As a tar file, in one piece: 2,500 pieces of 16 kB leave 90 MB of holes that the process keeps, one large piece goes back to the
 * system. Of its room only what is written to is taken.
 */
export async function emptyDatabase(): Promise<Buffer> {
  return promisify(brotliDecompress)(await readFile(ARCHIVE), { chunkSize: ROOM });
}

const ROOM = 64 * 1024 * 1024;

interface Entry {
  readonly name: string;
  /** null: a folder. */
  readonly bytes: Buffer | null;
}

const BLOCK = 512;

/** Unpacks a tar file with short names, folders before their contents: PGlite writes no other. */
function* entriesOf(tar: Buffer): Generator<Entry> {
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0;) {
    const text = (from: number, to: number) =>
      tar.toString('latin1', at + from, at + to).replace(/\0.*$/s, '');
    const size = Number.parseInt(text(124, 136), 8);
    const start = at + BLOCK;
    const isFolder = text(156, 157) === '5';
    yield { name: text(0, 100), bytes: isFolder ? null : tar.subarray(start, start + size) };
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
}
