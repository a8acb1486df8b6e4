import {
  closeSync,
  constants,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * PGlite takes no lock on its folder, and two processes on one folder lose writes without a word. The kernel keeps this
 * lock, on the open file: it sees processes of every container on the machine that has the folder, and it gives the lock
 * up in the moment in which the process ends, however it ends. The file itself stays: what is in it is only for the
 * message to those who come second, and a file that one process removes while another opens it would be two locks.
 */
export async function lockFolder(
  folder: string,
  instead: Instead = 'DATABASE_URL',
): Promise<() => Promise<void>> {
  const place = { folder, instead };
  const file = process.platform === 'win32' ? openAlone(place) : await openAndLock(place);
  ftruncateSync(file);
  writeSync(file, JSON.stringify({ pid: process.pid, host: hostname() }), 0);
  let isHeld = true;
  return () => {
    if (isHeld) closeSync(file);
    isHeld = false;
    return Promise.resolve();
  };
}

/** The variable that names a Postgres to have in place of the embedded one. */
type Instead = 'DATABASE_URL' | 'REPORTS_DATABASE_URL';

interface Place {
  readonly folder: string;
  readonly instead: Instead;
}

const NAME = 'millrace.lock';

async function openAndLock(place: Place): Promise<number> {
  const { folder, instead } = place;
  const flock = await loadFlock(instead);
  const file = open(place, 0);
  const failure = flock(file);
  if (failure === null) return file;
  closeSync(file);
  if (failure === 'taken') throw inUse(place);
  throw new Error(
    `The folder ${folder} is on a file system that has no locks (error ${failure}). Set MILLRACE_DATA to a folder on another one, or set ${instead} to use a Postgres.`,
  );
}

const [LOCK_EXCLUSIVE, LOCK_WITHOUT_WAITING] = [2, 4];

/** Node has no call for flock(2), which Linux, macOS and the BSDs share. Null: the lock is held now. */
async function loadFlock(instead: Instead): Promise<(file: number) => null | 'taken' | number> {
  // Only here: where koffi has no binary for the machine, importing it is what fails.
  const { default: koffi } = await import('koffi').catch((cause: unknown) => {
    throw new Error(
      `The embedded database cannot lock its folder on this machine. Set ${instead} to use a Postgres.`,
      { cause },
    );
  });
  const flock = koffi.load(null).func('int flock(int file, int operation)') as (
    file: number,
    operation: number,
  ) => number;
  return (file) => {
    if (flock(file, LOCK_EXCLUSIVE | LOCK_WITHOUT_WAITING) === 0) return null;
    const error = koffi.errno();
    return error === koffi.os.errno['EWOULDBLOCK'] ? 'taken' : error;
  };
}

/** UV_FS_O_EXLOCK, which Node passes on and does not name: nobody else can open the file meanwhile, not even to read. */
const OPENED_ALONE = 0x1000_0000;

function openAlone(place: Place): number {
  try {
    return open(place, OPENED_ALONE);
  } catch (error) {
    throw codeOf(error) === 'EBUSY' ? inUse(place) : error;
  }
}

function open({ folder, instead }: Place, flags: number): number {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openSync(join(folder, NAME), constants.O_RDWR | constants.O_CREAT | flags, 0o600);
  } catch (error) {
    if (codeOf(error) === 'EBUSY') throw error;
    throw new Error(
      `The folder ${folder} cannot be written to (${codeOf(error)}). Give this user the right to, set MILLRACE_DATA to another folder, or set ${instead} to use a Postgres.`,
      { cause: error },
    );
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function inUse({ folder, instead }: Place): Error {
  return new Error(
    `The folder ${folder} is in use by ${ownerOf(folder)}. Stop it, set MILLRACE_DATA to another folder, or set ${instead} to share one Postgres.`,
  );
}

/** As the owner sees itself: in a container of its own, both the process id and the host name are the container's. */
function ownerOf(folder: string): string {
  try {
    const { pid, host } = JSON.parse(readFileSync(join(folder, NAME), 'utf8')) as {
      pid: number;
      host: string;
    };
    return `process ${pid}${host === hostname() ? '' : ` on ${host}`}`;
  } catch {
    return 'another process';
  }
}
