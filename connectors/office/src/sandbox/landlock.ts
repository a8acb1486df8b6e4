import { closeSync, constants, openSync, statSync } from 'node:fs';
import koffi from 'koffi';

/**
 * Landlock (Linux 5.13 and later) closes the disk to a process, whoever its user is: what is not on the list cannot be
 * opened, by LibreOffice or by what a document makes of it. It needs no privilege.
 *
 * It holds for the thread that asks and for what that thread starts, not for threads that are there already, and Node has
 * some before its first line runs. So a child restricts itself and then runs its program again (`sandbox.ts`). What got
 * into PDFs without it: docs/decisions/0015-closed-office.md.
 */
export interface Reach {
  /** Files and folders to read, and to load programs and libraries from. */
  readonly read: readonly string[];
  /** Folders of the process's own. */
  readonly write: readonly string[];
  /** Devices: written to, nothing kept. */
  readonly devices: readonly string[];
}

/** The same on every machine type. */
const CREATE_RULESET = 444;
const ADD_RULE = 445;
const RESTRICT_SELF = 446;
const ASK_VERSION = 1;
const PATH_BENEATH = 1;
const O_PATH = 0o10000000;

const EXECUTE = 1 << 0;
const WRITE_FILE = 1 << 1;
const READ_FILE = 1 << 2;
const READ_DIR = 1 << 3;
const REMOVE_DIR = 1 << 4;
const REMOVE_FILE = 1 << 5;
const MAKE_DIR = 1 << 7;
const MAKE_REG = 1 << 8;
const REFER = 1 << 13; // rename from folder to folder; version 2
const TRUNCATE = 1 << 14; // version 3

const READ = EXECUTE | READ_FILE | READ_DIR;
/** No links, pipes, sockets and devices: the service reads from this folder too, and would follow them. */
const OWN =
  READ_FILE |
  READ_DIR |
  WRITE_FILE |
  TRUNCATE |
  REFER |
  REMOVE_DIR |
  REMOVE_FILE |
  MAKE_DIR |
  MAKE_REG;
const DEVICE = READ_FILE | WRITE_FILE;
/** The rights that can be given on a file that is no folder. */
const OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE;
const MAKE_SOCKET = 1 << 9;

/** Every right that a version knows is refused unless it is given: versions 1 to 5 and later. */
const HANDLED = [(1 << 13) - 1, (1 << 14) - 1, (1 << 15) - 1, (1 << 15) - 1, (1 << 16) - 1];
/** TCP, from version 4; signals to and abstract sockets of other processes, from version 6. */
const NO_TCP = 3;
const OWN_PROCESSES_ONLY = 3;

type Syscall = (...args: (number | Buffer | null)[]) => number | bigint;

/**
 * Restricts this thread and all it starts, for good. Gives Landlock's version; 0 where the system has none. The caller has set
 * `no_new_privs`. `sockets` lets the process make and remove local
 * sockets in /tmp: `soffice` does not start without, and takes no other folder.
 */
export function restrictFiles(
  { read, write, devices }: Reach,
  { sockets }: { sockets: boolean },
): number {
  if (process.platform !== 'linux') return 0;
  const libc = koffi.load(null);
  const syscall = libc.func('long syscall(long, void *, long, long)') as Syscall;
  const version = Number(syscall(CREATE_RULESET, null, 0, ASK_VERSION));
  if (version < 1) return 0;
  const handled = HANDLED[Math.min(version, HANDLED.length) - 1] ?? 0;

  const attributes = Buffer.alloc(24); // older kernels take a longer struct if the rest is zero
  attributes.writeBigUInt64LE(BigInt(handled), 0);
  if (version >= 4) attributes.writeBigUInt64LE(BigInt(NO_TCP), 8);
  if (version >= 6) attributes.writeBigUInt64LE(BigInt(OWN_PROCESSES_ONLY), 16);
  const ruleset = Number(syscall(CREATE_RULESET, attributes, attributes.length, 0));
  if (ruleset < 0) return 0;

  const addRule = libc.func('long syscall(long, long, long, void *, long)') as Syscall;
  const allow = (path: string, access: number): void => {
    const file = openPath(path);
    if (file === null) return;
    const rule = Buffer.alloc(12);
    const fits = statSync(path).isDirectory() ? access : access & OF_FILES;
    rule.writeBigUInt64LE(BigInt(fits & handled), 0);
    rule.writeInt32LE(file, 8);
    const added = Number(addRule(ADD_RULE, ruleset, PATH_BENEATH, rule, 0));
    closeSync(file);
    if (added !== 0) throw new Error(`Landlock refused a rule for ${path}.`);
  };
  for (const path of read) allow(path, READ);
  for (const path of write) allow(path, OWN);
  if (sockets) allow('/tmp', MAKE_SOCKET | REMOVE_FILE);
  for (const path of devices) allow(path, DEVICE);

  const restrict = libc.func('long syscall(long, long, long)') as Syscall;
  const restricted = Number(restrict(RESTRICT_SELF, ruleset, 0)) === 0;
  closeSync(ruleset);
  return restricted ? version : 0;
}

/** Null for what is not there: the list names places of many systems. */
function openPath(path: string): number | null {
  try {
    return openSync(path, O_PATH | constants.O_RDONLY);
  } catch {
    return null;
  }
}
