import type { Clock } from './time/clock.ts';

/** The longest time that setTimeout can count; beyond it, it fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** The clock of the machine. The engine never imports it: whoever starts a worker gives it one. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, fire) {
    // setTimeout rounds 0 up to 1 ms, which is long beside the work of a small job.
    if (ms <= 0) {
      const immediate = setImmediate(fire);
      return () => clearImmediate(immediate);
    }
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      timer =
        left > LONGEST_MS
          ? setTimeout(() => arm(left - LONGEST_MS), LONGEST_MS)
          : setTimeout(fire, left);
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};
