import { useSyncExternalStore } from 'react';

/** One clock for the page: every relative time moves in the same render, once a second, and stands still in a hidden tab. */
const listeners = new Set<() => void>();
let now = Date.now();
let ahead = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Less is the way of the answer and the full seconds of its header, more is a clock that is wrong. */
const WRONG_MS = 10_000;

/**
 * The `Date` of an answer. Where the machine's own clock is wrong, "in 40 s" would be a day off, and every replica would
 * look dead.
 */
export function learnClock(date: string | null): void {
  const difference = Date.parse(date ?? '') - Date.now();
  if (!Number.isNaN(difference)) ahead = Math.abs(difference) > WRONG_MS ? difference : 0;
}

export function correctedNow(): number {
  return Date.now() + ahead;
}

function tick(): void {
  if (document.hidden) return;
  now = correctedNow();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Nobody looked for a while: the clock stood still.
  if (timer === undefined) now = correctedNow();
  timer ??= setInterval(tick, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** A value derived from the time, such as "3 min ago": renders when it changes, not every second. */
export function useByNow<Value extends string | number>(of: (now: number) => Value): Value {
  return useSyncExternalStore(subscribe, () => of(now));
}
