import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { giveTo } from '../sandbox/account.ts';
import type { Version } from '../find.ts';
import { environmentOf } from './environment.ts';
import type { OtherFormat } from './formats.ts';
import { groupMs, killTree, leaderMs } from './group.ts';
import { makeProfile, removeProcess } from './profile.ts';
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
  /** The formats that LibreOffice must not open. */
  readonly otherFormats: readonly OtherFormat[];
  readonly startTimeoutMs: number;
}

/** Between looks at the memory of a busy process: at 1 GB/s it gets 200 MB too far. */
const WATCH_MS = 200;
const COMPLAINT_CHARS = 500;
const IS_WINDOWS = process.platform === 'win32';

export async function startProcess(params: SlotParams): Promise<OfficeProcess> {
  const { script, settings, startTimeoutMs } = params;
  const { folder, memoryMb } = settings;
  await mkdir(join(folder, 'tmp'), { recursive: true, mode: 0o700 });
  await makeProfile(folder, params.version, params.otherFormats);
  if (!IS_WINDOWS) await symlink(join(settings.cache, 'fontconfig'), join(folder, 'fontconfig'));
  await giveTo(settings.account, folder);

  const given: ChildSettings = { ...settings, parent: process.pid, confined: null };
  const child = fork(script, [JSON.stringify(given)], {
    // A process group of its own, to be killed with all it started. Windows would open a window for it.
    detached: !IS_WINDOWS,
    cwd: folder,
    env: environmentOf(folder),
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
    // What it started may still be there. On Windows its number may be another's by now.
    if (!IS_WINDOWS) killTree(child.pid);
    onAnswer({ type: 'died' });
  });
  const ended = exited.then(() => removeProcess(folder)).then(() => reason);

  function alive(): boolean {
    return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  function kill(because: EndReason): void {
    if (!alive()) return;
    if (reason === 'crash') reason = because;
    killTree(child.pid);
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
