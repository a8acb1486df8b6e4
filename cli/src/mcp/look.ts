import type { Call } from './tool.ts';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;

/** Looks again and again until it is over, or so many seconds have passed; gives the last look. */
export async function lookUntil<Sight>(
  call: Call,
  seconds: number,
  look: () => Promise<Sight>,
  isOver: (sight: Sight) => boolean,
): Promise<Sight> {
  let leftMs = seconds * 1_000;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    const sight = await look();
    if (isOver(sight) || leftMs <= 0) return sight;
    await call.pause(Math.min(pauseMs, leftMs));
    leftMs -= pauseMs;
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
  }
}
