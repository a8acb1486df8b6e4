import { writeFileSync } from 'node:fs';
import koffi from 'koffi';
import type { Account } from './account.ts';
import { restrictFiles } from './landlock.ts';
import { installFilter } from './seccomp.ts';
import type { ChildSettings, Confined, Hello } from '../program/protocol.ts';

const PR_SET_PDEATHSIG = 1;
const PR_SET_NO_NEW_PRIVS = 38;
const SIGKILL = 9;
const RLIMIT_DATA = 2;
const RLIMIT_CORE = 4;
const CLONE_NEWNET = 0x40000000;
const CAPABILITIES_V3 = 0x20080522;
const CAP_SETGID = 1 << 6;
const CAP_SETUID = 1 << 7;
const F_SETFD = 2;
/** Where `fork` put the pipe to the service: after standard input, output and error. */
const CHANNEL = 3;

type NativeCall = (...args: (number | Buffer)[]) => number;

/**
 * The first half of closing a child off: what the kernel ties to a thread and hands on to what that thread starts. Node has
 * threads before its first line runs, so the child then runs its own program again, which ends the other threads: from its
 * first instruction on the new one has no other network, no capabilities and no disk but its list. It costs 50 ms a start.
 *
 * Does not return where that works.
 */
export function confine(settings: ChildSettings): void {
  if (process.platform !== 'linux') return;
  const { way, reach, folder, account } = settings;
  const libc = koffi.load(null);
  const unshare = libc.func('int unshare(int)') as NativeCall;
  const prctl = libc.func('int prctl(int, ulong, ulong, ulong, ulong)') as NativeCall;
  offerToOomKiller(); // while /proc can be written to
  // Only root may do this, in most containers not even root.
  const namespace = unshare(CLONE_NEWNET) === 0;
  dropCapabilities(account);
  // no_new_privs: from here on, setuid programs give no rights. Landlock and seccomp demand it.
  const landlock =
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) === 0 &&
    restrictFiles({ ...reach, write: [folder] }, { sockets: way === 'soffice' }) > 0;
  runAgain({ ...settings, confined: { namespace, landlock } });
}

/** Root without capabilities is a user like others; two are kept until its account is changed. */
function dropCapabilities(account: Account | null): void {
  const capset = koffi.load(null).func('int capset(void *, void *)') as NativeCall;
  const kept = account === null ? 0 : CAP_SETUID | CAP_SETGID;
  const header = Buffer.alloc(8);
  header.writeUInt32LE(CAPABILITIES_V3);
  const sets = Buffer.alloc(24); // effective, permitted, inheritable; and the same for numbers over 31
  sets.writeUInt32LE(kept, 0);
  sets.writeUInt32LE(kept, 4);
  if (capset(header, sets) !== 0 && process.getuid?.() === 0)
    throw new Error('The capabilities of root could not be dropped.');
}

function runAgain(settings: ChildSettings): never {
  const libc = koffi.load(null);
  const fcntl = libc.func('int fcntl(int, int, int)') as NativeCall;
  const execve = libc.func(
    'int execve(const char *path, const char **argv, const char **envp)',
  ) as (path: string, argv: (string | null)[], envp: (string | null)[]) => number;
  const [node, script = ''] = process.argv;
  const environment = Object.entries({ ...process.env, NODE_CHANNEL_FD: String(CHANNEL) });
  fcntl(CHANNEL, F_SETFD, 0); // it stays open
  execve(
    process.execPath,
    [node ?? '', ...process.execArgv, script, JSON.stringify(settings), null],
    [...environment.map(([name, value]) => `${name}=${value}`), null],
  );
  throw new Error(`${process.execPath} could not be run under Landlock.`);
}

/**
 * The second half, before LibreOffice is loaded: what holds for all threads at once. Everything here also holds for what
 * the child starts.
 *
 * The memory limit is RLIMIT_DATA, which counts what a process can write to: 157 MB for a warm one, where
 * RLIMIT_AS would count 1.2 GB of reserved addresses and libraries. At 120 MB LibreOffice failed to load a
 * page with a clean error, at 200 MB it worked.
 */
export function enterSandbox({
  way,
  memoryMb,
  parent,
  account,
  confined,
}: ChildSettings): Pick<Hello, 'network' | 'disk'> {
  if (process.platform !== 'linux') return { network: [], disk: [] };
  const libc = koffi.load(null);
  const prctl = libc.func('int prctl(int, ulong, ulong, ulong, ulong)') as NativeCall;
  const setrlimit = libc.func('int setrlimit(int, void *)') as NativeCall;

  become(account);
  // A process that converts looks at no pipe: the kernel has to end it with its parent. One that only waits
  // for soffice must not die so suddenly: it ends soffice first. After `become`, which would forget it.
  if (way === 'kit') {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (process.ppid !== parent) process.exit(1); // died before it was asked
  }
  setrlimit(RLIMIT_CORE, limits(0)); // a core file would hold the document
  setrlimit(RLIMIT_DATA, limits(memoryMb * 1024 * 1024));
  const hasFilter = installFilter(way === 'kit' ? 'strict' : 'no-network');
  return { network: networkOf(hasFilter, confined), disk: diskOf(account, confined) };
}

/**
 * Changes the account of all threads: the C library sees to that. With the last user id that is root's, the
 * capabilities go too.
 */
function become(account: Account | null): void {
  if (account === null) return;
  process.setgroups?.([]);
  process.setgid?.(account.gid);
  process.setuid?.(account.uid);
}

function networkOf(hasFilter: boolean, confined: Confined | null): Hello['network'] {
  return [
    ...(hasFilter ? (['filter'] as const) : []),
    ...(confined?.namespace === true ? (['namespace'] as const) : []),
  ];
}

function diskOf(account: Account | null, confined: Confined | null): Hello['disk'] {
  return [
    ...(confined?.landlock === true ? (['landlock'] as const) : []),
    ...(account === null ? [] : (['account'] as const)),
  ];
}

function limits(bytes: number): Buffer {
  const pair = Buffer.alloc(16);
  pair.writeBigUInt64LE(BigInt(bytes), 0);
  pair.writeBigUInt64LE(BigInt(bytes), 8);
  return pair;
}

/** When memory runs out, this process goes and not the service. */
function offerToOomKiller(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // No /proc, no offer.
  }
}
