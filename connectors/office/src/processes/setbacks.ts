import type { Log } from '../events.ts';

/** Starts that failed: each in a row is waited for longer before the next, and those who wait get an error in the end. */
export interface Setbacks {
  /** In a row. */
  count(): number;
  /** Why no process starts at the moment. */
  trouble(): string | null;
  /** Nothing is started until the wait is over. */
  isHolding(): boolean;
  failed(reason: string): void;
  /** Nothing starts: whoever waits, waits in vain. */
  broken(reason: string): void;
  /** The next failure is the first one again. */
  forget(): void;
  /** A process is ready. */
  over(): void;
  stop(): void;
}

const RETRY_START_MS = [0, 250, 1_000, 5_000, 15_000, 30_000];
/** Failed starts in a row until those who wait get an error. */
const BROKEN_AFTER = 3;

export function createSetbacks(params: {
  log: Log;
  onBroken: (reason: string) => void;
  /** The wait is over. */
  onRetry: () => void;
}): Setbacks {
  const { log, onBroken, onRetry } = params;
  let count = 0;
  let trouble: string | null = null;
  let holding: NodeJS.Timeout | null = null;

  function broken(reason: string): void {
    trouble = reason;
    onBroken(reason);
  }

  return {
    count: () => count,
    trouble: () => trouble,
    isHolding: () => holding !== null,
    failed(reason) {
      count += 1;
      trouble = reason;
      log.warn({ reason, failures: count }, 'A LibreOffice process did not start');
      if (count >= BROKEN_AFTER) broken(reason);
      holding ??= setTimeout(
        () => {
          holding = null;
          onRetry();
        },
        RETRY_START_MS[Math.min(count, RETRY_START_MS.length) - 1],
      ).unref();
    },
    broken,
    forget() {
      count = 0;
    },
    over() {
      count = 0;
      trouble = null;
    },
    stop() {
      if (holding !== null) clearTimeout(holding);
    },
  };
}
