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
      const takeBack = clock.after(ms, () => {
        set.delete(name);
        fire();
      });
      set.set(name, takeBack);
    },
    clear() {
      for (const takeBack of set.values()) takeBack();
      set.clear();
    },
  };
}
