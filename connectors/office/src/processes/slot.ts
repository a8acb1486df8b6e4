import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { giveTo } from '../sandbox/account.ts';
import type { Version } from '../find.ts';
import type { OtherFormat } from './formats.ts';
import { groupMs, leaderMs } from './processor.ts';
import { makeProfile } from './profile.ts';
import type { Answer, ChildSettings, Hello, Task } from '../program/protocol.ts';

/**
 * One process of the pool: started, given one document at a time, watched, killed. It is never asked to end:
 * LibreOffice has nothing to save, and a process that hangs does not answer.
 */
export interface OfficeProcess {
  readonly pid: number;
  /** Its profile, its temporary files and its documents. Gone when `ended` resolves. */
  readonly folder: string;
  readonly started: Promise<Start>;
  readonly ended: Promise<EndReason>;
  alive(): boolean;
  run(task: Task, timeoutMs: number): Promise<Outcome>;
  /** Zero when the system does not tell. */
  rssMb(): number;
  kill(reason: Exclude<EndReason, 'crash'>): void;
}

export type EndReason =
  | 'crash'
  | 'timeout'
  | 'memory'
  | 'canceled'
  | 'recycled'
  | 'closed'
  | 'no_start';
export type Start = Hello | { readonly type: 'unavailable' | 'died'; readonly reason: string };
export type Outcome =
  | Extract<Answer, { type: 'done' | 'failed' }>
  | {
      readonly type: 'died';
      readonly reason: EndReason;
      readonly complaint: string;
      /** How much of the time it had a processor, from 0 to 1. Known of a timeout only. */
      readonly worked: number;
    };

export interface SlotParams {
  /** The child's program. */
  readonly script: string;
  readonly settings: Omit<ChildSettings, 'parent' | 'confined'>;
  readonly version: Version;
  /** What LibreOffice must not open. */
  readonly otherFormats: readonly OtherFormat[];
  readonly startTimeoutMs: number;
}

/** Between looks at the memory of a busy process: at 1 GB/s it gets 200 MB too far. */
const WATCH_MS = 200;
const COMPLAINT_CHARS = 500;
/** What a child sees of the service's environment: no secret of it. */
const PASSED_ON = /^(PATH|LANG|LANGUAGE|LC_\w+|TZ|FONTCONFIG_\w+|LD_LIBRARY_PATH|XDG_DATA_HOME)$/;

/**
 * A document is thousands of small objects that go all at once. With room to keep 2,000 of each size at hand for the next
 * document, instead of 7, it takes 7 to 10 % less processor time. Other C libraries than glibc do not read this.
 */
export const MALLOC = 'glibc.malloc.tcache_count=2000';

export async function startProcess(params: SlotParams): Promise<OfficeProcess> {
  const { script, settings, startTimeoutMs } = params;
  const { folder, memoryMb } = settings;
  await mkdir(join(folder, 'tmp'), { recursive: true, mode: 0o700 });
  await makeProfile(folder, params.version, params.otherFormats);
  await symlink(join(settings.cache, 'fontconfig'), join(folder, 'fontconfig'));
  await giveTo(settings.account, folder);

  const given: ChildSettings = { ...settings, parent: process.pid, confined: null };
  const child = fork(script, [JSON.stringify(given)], {
    detached: true, // a process group of its own, to be killed with all it started
    cwd: folder,
    env: environment(params),
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-COMPLAINT_CHARS);
  });

  let reason: EndReason = 'crash'; // unless it was us
  let onAnswer: (answer: Answer | { type: 'died' }) => void = () => {};
  child.on('message', (answer: Answer) => onAnswer(answer));
  child.on('error', (error) => {
    complaint ||= error.message; // could not be started, or be written to: it exits, or there was none
    if (child.pid === undefined) end();
  });

  let end: () => void = () => {};
  const exited = new Promise<void>((resolve) => {
    end = resolve;
    child.once('exit', () => resolve());
  }).then(() => {
    killGroup(child.pid); // what it started may still be there
    onAnswer({ type: 'died' });
  });
  const ended = exited
    .then(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
    .then(() => reason);

  function alive(): boolean {
    return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  function kill(because: EndReason): void {
    if (!alive()) return;
    if (reason === 'crash') reason = because;
    killGroup(child.pid);
  }

  function nextAnswer(): Promise<Answer | { type: 'died' }> {
    return new Promise((resolve) => {
      onAnswer = (answer) => {
        onAnswer = () => {};
        resolve(answer);
      };
      if (!alive()) onAnswer({ type: 'died' });
    });
  }

  async function start(): Promise<Start> {
    const timer = setTimeout(() => kill('no_start'), startTimeoutMs);
    const answer = await nextAnswer();
    clearTimeout(timer);
    if (answer.type === 'ready' || answer.type === 'unavailable') return answer;
    const waited =
      reason === 'no_start' ? `It did not start within ${startTimeoutMs} ms.` : 'It died.';
    return { type: 'died', reason: `${waited} ${complaint}`.trim() };
  }

  /** Asked synchronously: /proc is memory, 40 µs. */
  function rssMb(): number {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
    } catch {
      return 0;
    }
  }

  function watchMemory(): void {
    if (rssMb() > memoryMb) kill('memory');
  }

  return {
    pid: child.pid ?? 0,
    folder,
    started: start(),
    ended,
    alive,
    rssMb,
    kill,
    async run(task, timeoutMs) {
      const before = leaderMs(child.pid);
      let worked = 0;
      const timer = setTimeout(() => {
        worked = (groupMs(child.pid) - before) / timeoutMs;
        kill('timeout');
      }, timeoutMs);
      const watch = setInterval(watchMemory, WATCH_MS).unref();
      const answered = nextAnswer();
      child.send(task, () => {}); // an error here means that it is dying: its exit is the answer
      const answer = await answered;
      clearTimeout(timer);
      clearInterval(watch);
      if (answer.type === 'done' || answer.type === 'failed') return answer;
      return { type: 'died', reason, complaint: complaint.trim(), worked };
    },
  };
}

function environment({ settings }: SlotParams): NodeJS.ProcessEnv {
  const passedOn = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
  return {
    LANG: 'C.UTF-8', // paths may hold any character
    XDG_DATA_HOME: join(homedir(), '.local', 'share'), // the user's own fonts
    ...Object.fromEntries(passedOn),
    HOME: settings.folder,
    TMPDIR: join(settings.folder, 'tmp'), // LibreOffice leaves files there when it is killed
    XDG_CACHE_HOME: settings.folder, // with what fontconfig knows linked into it
    SAL_USE_VCLPLUGIN: 'svp', // draws into memory
    OPENSSL_CONF: '/dev/null', // Node would end where it may not read its own; it makes no connection
    GLIBC_TUNABLES: MALLOC,
  };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process group has ended already.
  }
}
