/**
 * The engine has no clock of its own. `now` is monotonic milliseconds: it is only ever compared with
 * itself (a lease's local deadline, an interval). Times that people or other processes see come from
 * the store.
 */
export interface Clock {
  now(): number;
  /** Runs `fire` once after `ms`; the returned function takes it back. */
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
    const takeBack = clock.after(ms, resolve);
    doing.then(() => resolve(), reject).finally(takeBack);
  });
}
