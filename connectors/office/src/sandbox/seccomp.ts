import koffi from 'koffi';

/**
 * A seccomp filter under which a process gets no socket, and no other way around: the network is closed to
 * LibreOffice and whatever a document makes of it. It needs no privilege, unlike a network namespace. Calls to fsync are
 * answered without being done: three a document, up to 5 ms of waiting (docs/decisions/0007-conversion-time.md).
 */

/** Numbers of the system calls. A process on another machine type goes unfiltered, and says so. */
const MACHINES = {
  x64: {
    audit: 0xc000003e,
    seccomp: 317,
    socket: 41,
    exec: [59, 322],
    sync: [74, 75],
    others: [101, 310, 311, 425, 438],
  },
  arm64: {
    audit: 0xc00000b7,
    seccomp: 277,
    socket: 198,
    exec: [221, 281],
    sync: [82, 83],
    others: [117, 270, 271, 425, 438],
  },
} as const; // others: ptrace, process_vm_readv, process_vm_writev, io_uring_setup (it opens sockets), pidfd_getfd

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;
/** Where a filter finds the call's number, the machine type, and the low half of the first argument. */
const CALL_NUMBER = 0;
const MACHINE = 4;
const FIRST_ARGUMENT = 16;
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const REFUSE = 0x00050000 | 13; // EACCES
const PRETEND = 0x00050000; // no error, and nothing done
/** x86-64 has a second range of numbers for the same calls. */
const X32 = 0x40000000;
const AF_UNIX = 1;

export type Machine = keyof typeof MACHINES;

/**
 * `strict` refuses every socket and every new program: LibreOfficeKit needs neither. `soffice` as a program
 * of its own has to be started, and listens on a local socket.
 */
export function buildFilter(machine: Machine, level: 'strict' | 'no-network'): Buffer {
  const { audit, socket, exec, sync, others } = MACHINES[machine];
  const program: [code: number, ifTrue: number, ifFalse: number, operand: number][] = [
    [LOAD, 0, 0, MACHINE],
    [JUMP_IF_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD, 0, 0, CALL_NUMBER],
    [JUMP_IF_AT_LEAST, 0, 1, X32],
    [RETURN, 0, 0, REFUSE],
  ];
  const refused = level === 'strict' ? [socket, ...exec, ...others] : others;
  for (const call of refused) program.push([JUMP_IF_EQUAL, 0, 1, call], [RETURN, 0, 0, REFUSE]);
  // LibreOffice calls fsync three times a document, and waits for the disk. These files need not survive a power cut.
  for (const call of sync) program.push([JUMP_IF_EQUAL, 0, 1, call], [RETURN, 0, 0, PRETEND]);
  if (level === 'no-network') {
    program.push(
      [JUMP_IF_EQUAL, 0, 3, socket],
      [LOAD, 0, 0, FIRST_ARGUMENT],
      [JUMP_IF_EQUAL, 1, 0, AF_UNIX],
      [RETURN, 0, 0, REFUSE],
    );
  }
  program.push([RETURN, 0, 0, ALLOW]);
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4);
  }
  return bytes;
}

const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_SET_MODE_FILTER = 1;
/** For all threads: Node has some already, and they must not be the way out. */
const SECCOMP_FILTER_FLAG_TSYNC = 1;

/** Filters this process for good. False where the system has no such filters. */
export function installFilter(level: 'strict' | 'no-network'): boolean {
  if (process.platform !== 'linux' || !isMachine(process.arch)) return false;
  const libc = koffi.load(null); // what Node itself is linked to
  const prctl = libc.func('int prctl(int, ulong, ulong, ulong, ulong)') as NativeCall;
  const syscall = libc.func('long syscall(long, long, long, void *)') as NativeCall;
  const filter = buildFilter(process.arch, level);
  const header = Buffer.alloc(16); // struct sock_fprog: a length, padding, a pointer
  header.writeUInt16LE(filter.length / 8, 0);
  header.writeBigUInt64LE(koffi.address(filter), 8);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) !== 0) return false;
  const { seccomp } = MACHINES[process.arch];
  return Number(syscall(seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, header)) === 0;
}

type NativeCall = (...args: (number | Buffer)[]) => number | bigint;

function isMachine(arch: string): arch is Machine {
  return Object.hasOwn(MACHINES, arch);
}
