import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { closeSync, fdatasyncSync, openSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { STOPPED } from '../errors.ts';
import { createDatabase } from './new-database.ts';

export type SyncFile = (file: number) => void;

/**
 * A PGlite on the disk. Durable means that a commit is on the disk before it is answered, as with any Postgres. PGlite does
 * neither half of that by itself (docs/decisions/0009-embedded-database.md): it starts Postgres with fsync off, and
 * its file system drops the calls.
 */
export async function openFolder(
  dataDir: string,
  { isDurable, sync = fdatasyncSync, free = freeBytes }: FolderOptions,
): Promise<PGlite> {
  try {
    await createDatabase(dataDir, (paths) => {
      if (isDurable) for (const path of paths) syncPath(path, sync);
    });
    return await PGlite.create({
      dataDir,
      fs: onDisk(dataDir, isDurable ? [stopAtPanic, reachDisk(sync)] : [stopAtPanic]),
      startParams: [...(isDurable ? SYNCED : PGlite.defaultStartParams), ...SMALL],
    });
  } catch (error) {
    throw withLikelyCause(error, free(dirname(dataDir)));
  }
}

export interface FolderOptions {
  readonly isDurable: boolean;
  readonly sync?: SyncFile;
  /** The bytes of the disk that a folder is on. */
  readonly free?: (folder: string) => number;
}

/** A new database takes 39 MB and its log 16 at a time: with less than this, a start that failed has failed for want of room. */
const ROOM_BYTES = 64_000_000;

/** PGlite says of a full disk that it "failed to initialize properly", and no more. */
function withLikelyCause(error: unknown, free: number): unknown {
  if (free >= ROOM_BYTES) return error;
  // Its file system throws values that are no Error, and say nothing.
  const why = error instanceof Error ? ` (${error.message})` : '';
  return new Error(
    `Its disk is full, or nearly: ${Math.floor(free / 1e6)} MB are free, and it needs ${ROOM_BYTES / 1e6}. Make room, set MILLRACE_DATA to a folder on another disk, or set DATABASE_URL to use a Postgres.${why}`,
    { cause: error },
  );
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Sets how the log is synced: Postgres's default on Linux, fdatasync, does nothing in PGlite, and `fsync` asks the file system. */
const SYNCED = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
];

/**
 * Postgres touches all of its shared buffers at the start. Its default of 128 MB stays resident for ever, beside the system's own copy of
 * the same files: 311 MB for an empty PGlite on Node 20, and 193 MB with 32. What a queue of a million jobs reads fits (bench -- embedded).
 */
const SMALL = ['-c', 'shared_buffers=32MB'];

/** The part that is used here of the module that Emscripten makes of Postgres. */
interface PostgresModule extends Record<Entry, () => void> {
  readonly NODEFS: {
    readonly stream_ops: { fsync?: (stream: { readonly nfd: number }) => number };
  };
  onAbort?: () => void;
}
type Entry = (typeof ENTRIES)[number] | (typeof LAST_CALLS)[number];
type Patch = (module: PostgresModule) => void;

/** PGlite's own file system, on a module with changes. */
function onDisk(dataDir: string, patches: readonly Patch[]): NodeFS {
  const folder = new NodeFS(dataDir);
  const init = folder.init.bind(folder);
  folder.init = async (pglite, options) => {
    const { emscriptenOpts } = await init(pglite, options);
    const patch = (module: unknown): void => {
      for (const each of patches) each(module as PostgresModule);
    };
    const preRun = [...(emscriptenOpts.preRun ?? []), patch];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  };
  return folder;
}

/**
 * The calls go to `fdatasync`, which leaves out the times of a file and nothing that is needed to read it. On an error
 * Postgres stops at once: nobody knows what is on the disk then.
 */
function reachDisk(sync: SyncFile): Patch {
  return ({ NODEFS }) => {
    NODEFS.stream_ops.fsync = ({ nfd }) => {
      try {
        sync(nfd);
        return 0;
      } catch (error) {
        return isFolderOnWindows(error) ? 0 : EIO;
      }
    };
  };
}

/** As WASI numbers it. */
const EIO = 29;

/**
 * Postgres stops for good when it cannot write its log: the disk is full, or fails. A server would start again from what is
 * on the disk. PGlite goes on to call what has stopped, in a loop that never ends and holds the whole process. Here
 * every call fails from then on, the end of the process writes nothing more, and the next start recovers.
 */
const stopAtPanic: Patch = (module) => {
  module.onAbort = () => {
    const refuse = (): never => {
      throw Object.assign(
        new Error(
          'The embedded database has stopped: it could not write to its disk. Make room or replace the disk, then restart this process.',
        ),
        { code: STOPPED },
      );
    };
    for (const entry of ENTRIES) module[entry] = refuse;
    for (const last of LAST_CALLS) module[last] = () => {};
  };
};

// PGlite catches what the first of them throws, and calls the second before it tries again.
const ENTRIES = ['_PostgresMainLoopOnce', 'stackRestore'] as const;
const LAST_CALLS = [
  '_PostgresSendReadyForQueryIfNecessary',
  '_pgl_pq_flush',
  '_pgl_run_atexit_funcs',
] as const;

/** Windows syncs files only, and keeps the entries of a folder safe itself. */
function isFolderOnWindows(error: unknown): boolean {
  return (
    process.platform === 'win32' &&
    error instanceof Error &&
    'code' in error &&
    error.code === 'EPERM'
  );
}

function syncPath(path: string, sync: SyncFile): void {
  const file = openSync(path, 'r');
  try {
    sync(file);
  } catch (error) {
    if (!isFolderOnWindows(error)) throw error;
  } finally {
    closeSync(file);
  }
}
