/**
 * The engine has no clock of its own. `now` is monotonic milliseconds: it is only ever compared with
 * itself (a lease's local deadline, an interval). Times that people or other processes see come from
 * the store.
 */
export interface Clock {
  now(): number;
  /** Runs `fire` once after `ms`; the returned function cancels that. */
  after(ms: number, fire: () => void): () => void;
}

/** From 0 (included) to 1 (excluded). */
export type Random = () => number;

export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

/** Until it is done, or so long has passed: then it may still come, and nobody waits for it. */
export function atMost(clock: Clock, ms: number, doing: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancelTimer = clock.after(ms, resolve);
    doing.then(() => resolve(), reject).finally(cancelTimer);
  });
}

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
          const cancelTimer = clock.after(ms, resolve);
          resolveWait = () => {
            cancelTimer();
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
