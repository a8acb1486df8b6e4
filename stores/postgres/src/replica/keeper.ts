import type { Clock } from '@millrace/engine';
import type { Figures } from '../figures.ts';
import type { Counting } from './counting.ts';
import type { Outage } from './announcer.ts';

/** Writes what was counted, now and then. Nothing waits for it; what could not be written is sent again. */
export interface Keeper {
  /** Something was counted: it is written within a second or ten. */
  soon(): void;
  /** Writes what is left. */
  close(): Promise<void>;
}

const EVERY_MS = 10_000;
/** After a quiet time, what happens is seen sooner. */
const FIRST_MS = 1_000;
/** A store that does not answer must not hold up the end of the process. */
const CLOSE_WITHIN_MS = 3_000;

export function createKeeper(params: {
  counting: Pick<Counting, 'take' | 'untake' | 'written'>;
  figures: Pick<Figures, 'keep'>;
  replica: string;
  clock: Clock;
  outage: Outage;
}): Keeper {
  const { counting, figures, replica, clock, outage } = params;
  let version = 0;
  let writtenAt = -Infinity;
  let cancelTimer: (() => void) | null = null;
  let writing: Promise<void> | null = null;
  let isClosed = false;

  function soon(): void {
    if (cancelTimer !== null || writing !== null || isClosed) return;
    arm(Math.max(FIRST_MS, writtenAt + EVERY_MS - clock.now()));
  }

  function arm(ms: number): void {
    cancelTimer = clock.after(ms, () => {
      cancelTimer = null;
      void write();
    });
  }

  function write(): Promise<void> {
    writing ??= send().finally(() => {
      writing = null;
    });
    return writing;
  }

  async function send(): Promise<void> {
    const rollups = counting.take();
    if (rollups.length === 0) return;
    writtenAt = clock.now();
    version += 1;
    try {
      await figures.keep({ replica, version, rollups });
      counting.written();
      outage.fine();
      // Counts that came meanwhile found the keeper at work.
      if (!isClosed) arm(EVERY_MS);
    } catch (error) {
      counting.untake();
      outage.failed(error);
      if (!isClosed) arm(EVERY_MS);
    }
  }

  return {
    soon,
    async close() {
      isClosed = true;
      cancelTimer?.();
      let giveUp: () => void = () => {};
      const late = new Promise<void>((resolve) => {
        giveUp = clock.after(CLOSE_WITHIN_MS, resolve);
      });
      await Promise.race([late, (writing ?? Promise.resolve()).then(write)]);
      giveUp();
    },
  };
}
