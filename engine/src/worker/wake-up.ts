import { type Clock, sleep } from '../time/clock.ts';

/** Lets a loop wait for what others notice. */
export interface WakeUp {
  wake(): void;
  /** Until woken (also by a call since the last wait) or until the time has passed. */
  wait(ms: number | null): Promise<void>;
}

export function createWakeUp(clock: Clock): WakeUp {
  let woken = false;
  let resolveWait: (() => void) | null = null;
  return {
    wake() {
      woken = true;
      resolveWait?.();
    },
    async wait(ms) {
      if (!woken) {
        await new Promise<void>((resolve) => {
          resolveWait = resolve;
          if (ms === null || ms === Infinity) return;
          const takeBack = clock.after(ms, resolve);
          resolveWait = () => {
            takeBack();
            resolve();
          };
        });
        resolveWait = null;
      }
      woken = false;
      // One turn of the event loop, so that slots that come free together are filled by one claim.
      await sleep(clock, 0);
    },
  };
}
