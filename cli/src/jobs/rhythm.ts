/** The result of one poll of the jobs. */
export interface Look {
  readonly running: boolean;
  /** Until the first waiting job is due, where that lies ahead. */
  readonly dueInMs: number | null;
}

const QUICK_MS = 200;
const RUNNING_MOST_MS = 1_000;
const WAITING_MOST_MS = 5_000;

/**
 * How long until the next look: quick when something has just changed (`previousMs` is null), then
 * slower and slower. Nothing is missed by a pause, since each look sees the whole truth.
 */
export function nextPauseMs(previousMs: number | null, { running, dueInMs }: Look): number {
  if (previousMs === null) return QUICK_MS;
  const slower = Math.min(previousMs * 1.5, running ? RUNNING_MOST_MS : WAITING_MOST_MS);
  return dueInMs === null ? slower : Math.min(slower, Math.max(dueInMs, QUICK_MS));
}
