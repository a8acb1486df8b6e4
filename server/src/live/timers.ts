import type { Clock } from '@millrace/engine';

/** Timers with names: one that is set already is not set again. */
export interface Timers {
  once(name: string, ms: number, fire: () => void): void;
  clear(): void;
}

export function createTimers(clock: Clock): Timers {
  const set = new Map<string, () => void>();
  return {
    once(name, ms, fire) {
      if (set.has(name)) return;
      const cancelTimer = clock.after(ms, () => {
        set.delete(name);
        fire();
      });
      set.set(name, cancelTimer);
    },
    clear() {
      for (const cancelTimer of set.values()) cancelTimer();
      set.clear();
    },
  };
}
