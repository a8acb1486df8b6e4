import type { Call } from './tool.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;

/** Looks again and again until it is over, or so many seconds have passed; gives the last look. */
export async function pollUntil<Status>(
  call: Call,
  seconds: number,
  poll: () => Promise<Status>,
  isOver: (current: Status) => boolean,
): Promise<Status> {
  let leftMs = seconds * 1_000;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    const current = await poll();
    if (isOver(current) || leftMs <= 0) return current;
    await call.pause(Math.min(pauseMs, leftMs));
    leftMs -= pauseMs;
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
  }
}
