import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { constants, homedir } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { browserOpener } from './terminal/browser.ts';
import type { World } from './world.ts';
import { editText } from './terminal/editor.ts';
import { EXIT, type ExitCode } from './line/exit.ts';
import { createPrivateFiles } from './connection/private-files.ts';
import { ProgramError } from './program-error.ts';
import { type Signals, takeSignals } from './terminal/signals.ts';

/** The process as a world. */
export function processWorld(): World {
  const signals = takeSignals();
  process.stdout.on('error', endWithReader);
  process.stderr.on('error', goOnUnseen);
  return {
    // Opened only when asked for: a terminal that nobody reads must not keep the process.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    fetch: globalThis.fetch,
    files: createPrivateFiles(process.getuid?.() ?? null),
    home: homedir(),
    folder: process.cwd(),
    processLives: lives,
    openBrowser: browserOpener(process.platform, process.env),
    now: Date.now,
    wait: (ms) => sleep(ms, undefined, { signal: signals.interrupted }),
    interrupted: signals.interrupted,
    edit: (text) => editText(process.env, text, !process.stdin.isTTY),
    runServer() {
      const program = serverProgram('main.js');
      return program === null ? null : runProgram(program, signals);
    },
    serverLines(name, args) {
      const program = serverProgram(`${name}/main.js`);
      return program === null ? null : linesOfProgram(program, args, signals);
    },
  };
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, and is not ours.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** `millrace jobs | head`: the reader has seen enough, so there is nothing left to say or do. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
}

/** Whoever stopped reading how far a report is (`2>&1 | head -1`) still waits for its file, and for the right exit code. */
function goOnUnseen(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Found when asked for, never imported: the command line works without the server's packages. */
function serverProgram(name: string): string | null {
  try {
    const program = fileURLToPath(new URL(name, import.meta.resolve('#server')));
    return existsSync(program) ? program : null;
  } catch {
    return null;
  }
}

/** Runs a program of ours in this terminal, until it ends. */
export function runProgram(program: string, signals: Signals): Promise<ExitCode> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--enable-source-maps', program], { stdio: 'inherit' });
    signals.passTo(child);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

/** The output of our own program, line by line. Its errors go to this terminal. */
async function* linesOfProgram(
  program: string,
  args: readonly string[],
  signals: Signals,
): AsyncGenerator<string> {
  const child = spawn(process.execPath, ['--enable-source-maps', program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  signals.passTo(child);
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  yield* createInterface({ input: child.stdout });
  const [code, signal] = await ended;
  if (signal !== null)
    throw new ProgramError('interrupted', EXIT.interrupted, `Ended by ${signal}.`);
  if (code !== 0)
    throw new ProgramError('defect', EXIT.defect, `A program of the server ended with ${code}.`);
}
