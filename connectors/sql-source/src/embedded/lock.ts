import { accessSync, closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { OWN, SourceUnavailable } from '../errors.ts';

/**
 * PGlite takes no lock on its folder, and two processes on one folder lose writes without a word. The kernel keeps this lock
 * on the open file, and gives it up when the process ends, however it ends; the file stays
 * (docs/decisions/0009-embedded-database.md). Gives the function that unlocks.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const path = join(folder, 'millrace.lock');
  makeFolder(folder);
  const file = process.platform === 'win32' ? openAlone(path) : await openAndLock(path);
  if (file === null)
    throw new SourceUnavailable(
      `The folder ${folder} is in use by another process. Stop it, or give each a folder of its own.`,
      { code: OWN.stopped },
    );
  let isHeld = true;
  return () => {
    if (isHeld) closeSync(file);
    isHeld = false;
  };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new SourceUnavailable(`The folder ${folder} cannot be written to (${code}).`, {
      code: OWN.stopped,
      cause,
    });
  }
}

const FLAGS = constants.O_RDWR | constants.O_CREAT;
const [LOCK_EXCLUSIVE, LOCK_WITHOUT_WAITING] = [2, 4];

/** By flock(2), for which Node has no call. Null: another process has it. */
async function openAndLock(path: string): Promise<number | null> {
  // Only here: where koffi has no binary for the machine, importing it is what fails.
  const { default: koffi } = await import('koffi').catch((cause: unknown) => {
    throw new SourceUnavailable('The embedded database cannot lock its folder on this machine.', {
      code: OWN.stopped,
      cause,
    });
  });
  const flock = koffi.load(null).func('int flock(int file, int operation)') as (
    file: number,
    operation: number,
  ) => number;
  const file = openSync(path, FLAGS, 0o600);
  if (flock(file, LOCK_EXCLUSIVE | LOCK_WITHOUT_WAITING) === 0) return file;
  const error = koffi.errno();
  closeSync(file);
  if (error === koffi.os.errno['EWOULDBLOCK']) return null;
  throw new SourceUnavailable(`${path} is on a file system that has no locks (error ${error}).`, {
    code: OWN.stopped,
  });
}

/** UV_FS_O_EXLOCK, which Node passes on and does not name: nobody else can open the file meanwhile. */
const OPENED_ALONE = 0x1000_0000;

function openAlone(path: string): number | null {
  try {
    return openSync(path, FLAGS | OPENED_ALONE, 0o600);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EBUSY') return null;
    throw error;
  }
}
