import type { ChildProcess } from 'node:child_process';
import { EXIT } from '../line/exit.ts';

/** npm passes a Ctrl-C on that the terminal has sent to us already: two that come together are one. */
const SAME_SIGNAL_MS = 500;

export interface Signals {
  /** Aborted by the first; a second one, later, ends the process at once. */
  readonly interrupted: AbortSignal;
  /** From now on they are the child's affair: we end when it has ended. */
  passTo(child: ChildProcess): void;
}

export function takeSignals(): Signals {
  const interruption = new AbortController();
  let child: ChildProcess | null = null;
  let firstAt: number | null = null;

  function interrupt(): void {
    if (firstAt === null) {
      firstAt = performance.now();
      interruption.abort();
    } else if (performance.now() - firstAt > SAME_SIGNAL_MS) {
      process.exit(EXIT.interrupted);
    }
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (child === null) interrupt();
      // On Windows the terminal signals the child itself, and `kill` would end it at once.
      else if (process.platform !== 'win32') child.kill(signal);
    });
  }
  return {
    interrupted: interruption.signal,
    passTo(started) {
      child = started;
      const forget = atEndOfShell(() => started.kill('SIGTERM'));
      started.once('exit', forget);
    },
  };
}

const LOOK_EVERY_MS = 200;

/**
 * `npx millrace start` has a shell between npm and us. A signal for npm alone, as from a supervisor, ends both of them, and we would
 * stay behind with what we have started. Gives what ends the watch.
 */
function atEndOfShell(end: () => void): () => void {
  if (process.env['npm_lifecycle_event'] === undefined || process.platform === 'win32')
    return () => {};
  const shell = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(look);
    end();
  }, LOOK_EVERY_MS);
  return () => clearInterval(look);
}
