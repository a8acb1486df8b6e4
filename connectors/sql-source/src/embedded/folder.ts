import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

export interface OpenFolder {
  readonly pglite: PGlite;
  /** Whether the statement that runs, or else the next, is to end with 57014 as soon as Postgres looks. */
  interrupt(wanted: boolean): void;
}

/** The part that is used here of the module that Emscripten makes of Postgres. */
interface PostgresModule extends Record<Entry, () => void> {
  onAbort?: () => void;
  readonly HEAPU8: Uint8Array;
  /** Addresses of what a server's signal handlers set. */
  readonly _InterruptPending: number;
  readonly _QueryCancelPending: number;
}
type Entry = (typeof ENTRIES)[number] | (typeof LAST_CALLS)[number];

/**
 * A PGlite on the disk. Nothing is synced: what is in it can be made again, and it survives the end of the process as it
 * is.
 */
export async function openFolder(dataDir: string): Promise<OpenFolder> {
  let module: PostgresModule | null = null;
  const fs = patched(dataDir, (created) => {
    module = created;
    stopAtPanic(created);
  });
  const startParams = [...PGlite.defaultStartParams, ...SMALL];
  const pglite = await PGlite.create({ dataDir, fs, startParams });
  return {
    pglite,
    interrupt(wanted) {
      if (module === null) return;
      const { HEAPU8, _InterruptPending, _QueryCancelPending } = module;
      HEAPU8[_QueryCancelPending] = Number(wanted);
      HEAPU8[_InterruptPending] = Number(wanted);
    },
  };
}

/** Postgres would keep 128 MB resident, whatever is read. */
const SMALL = ['-c', 'shared_buffers=32MB'];

/** PGlite's own file system, with a look at its module before it runs. */
function patched(dataDir: string, patch: (module: PostgresModule) => void): NodeFS {
  const folder = new NodeFS(dataDir);
  const init = folder.init.bind(folder);
  folder.init = async (pglite, options) => {
    const { emscriptenOpts } = await init(pglite, options);
    const look = (module: unknown): void => patch(module as PostgresModule);
    return {
      emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), look] },
    };
  };
  return folder;
}

/**
 * Postgres stops for good when it cannot write its log, as on a full disk, and PGlite would call it again for ever. Here
 * every call fails from then on; the next start recovers from the log (docs/decisions/0009-embedded-database.md).
 */
function stopAtPanic(module: PostgresModule): void {
  module.onAbort = () => {
    const refuse = (): never => {
      throw new Error('it could not write to its disk');
    };
    for (const entry of ENTRIES) module[entry] = refuse;
    for (const last of LAST_CALLS) module[last] = () => {};
  };
}

// PGlite catches what the first of them throws, and calls the second before it tries again.
const ENTRIES = ['_PostgresMainLoopOnce', 'stackRestore'] as const;
const LAST_CALLS = [
  '_PostgresSendReadyForQueryIfNecessary',
  '_pgl_pq_flush',
  '_pgl_run_atexit_funcs',
] as const;
