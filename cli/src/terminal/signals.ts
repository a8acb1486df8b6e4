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
      // On Windows the terminal tells the child itself, and `kill` would end it at once.
      else if (process.platform !== 'win32') child.kill(signal);
    });
  }
  return {
    interrupted: interruption.signal,
    passTo(started) {
      child = started;
    },
  };
}
