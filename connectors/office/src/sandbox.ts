import { writeFileSync } from 'node:fs';
import koffi from 'koffi';
import { installFilter } from './seccomp.ts';
import type { ChildSettings, Hello } from './protocol.ts';

const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;
const RLIMIT_DATA = 2;
const RLIMIT_CORE = 4;
const CLONE_NEWNET = 0x40000000;

/**
 * Closes a child off, before LibreOffice is loaded. Everything here also holds for what it starts.
 *
 * The memory limit is RLIMIT_DATA, which counts what a process can write to: 157 MB for a warm one, where
 * RLIMIT_AS would count 1.2 GB of reserved addresses and libraries. At 120 MB LibreOffice failed to load a
 * page with a clean error, at 200 MB it worked.
 */
export function enterSandbox({ way, memoryMb, parent }: ChildSettings): Hello['network'] {
  if (process.platform !== 'linux') return [];
  const libc = koffi.load(null);
  const prctl = libc.func('int prctl(int, ulong, ulong, ulong, ulong)') as (
    ...args: number[]
  ) => number;
  const setrlimit = libc.func('int setrlimit(int, void *)') as (
    which: number,
    limits: Buffer,
  ) => number;
  const unshare = libc.func('int unshare(int)') as (flags: number) => number;

  // A process that converts looks at no pipe: the kernel has to end it with its parent. One that only waits
  // for soffice must not die so suddenly: it ends soffice first.
  if (way === 'kit') {
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (process.ppid !== parent) process.exit(1); // died before it was asked
  }
  setrlimit(RLIMIT_CORE, limits(0)); // a core file would hold the document
  setrlimit(RLIMIT_DATA, limits(memoryMb * 1024 * 1024));
  offerToOomKiller();

  // Only root may do this, in most containers not even root.
  const hasNamespace = unshare(CLONE_NEWNET) === 0;
  const hasFilter = installFilter(way === 'kit' ? 'strict' : 'no-network');
  return [
    ...(hasFilter ? (['filter'] as const) : []),
    ...(hasNamespace ? (['namespace'] as const) : []),
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
