import type { Clock } from '@millrace/engine';

const TURN_MS = 5;
/** How many times faster than a real one it runs where nothing disturbs it. */
export const PACE = 4;

/** A clock that a test shares among replicas and their org. */
export interface FleetClock extends Clock {
  wait(ms: number): Promise<void>;
  close(): void;
}

/**
 * Counts 20 ms per turn of the event loop, however long the turn took. Replicas and their org share one process here: by a real
 * clock, leases of 2 s ran out on a busy machine before they could be renewed, and the replicas took jobs over from each other for ever.
 */
export function createFleetClock(): FleetClock {
  const start = Date.now();
  let passed = 0;
  const timers = new Map<object, { readonly at: number; readonly fire: () => void }>();

  const turns = setInterval(() => {
    passed += TURN_MS * PACE;
    const due = [...timers].filter(([, { at }]) => at <= passed);
    for (const [key, { fire }] of due.toSorted(([, one], [, other]) => one.at - other.at))
      if (timers.delete(key)) fire();
  }, TURN_MS);

  function after(ms: number, fire: () => void): () => void {
    const key = {};
    timers.set(key, { at: passed + ms, fire });
    return () => void timers.delete(key);
  }

  return {
    now: () => start + passed,
    after,
    wait: (ms) => new Promise((resolve) => void after(ms, resolve)),
    close: () => clearInterval(turns),
  };
}
