/**
 * Calls `onStall` once, when `progress` has given the same for `withinMs`. Null is no stall: whoever is waited for is not
 * the one that is watched. Looked at four times in that span, since a timer per row would cost more than the row.
 */
export function watchProgress(params: {
  readonly progress: () => number | null;
  readonly withinMs: number;
  readonly onStall: () => void;
}): () => void {
  const { progress, withinMs, onStall } = params;
  let last = progress();
  let still = 0;
  const look = (): void => {
    const now = progress();
    still = now === null || now !== last ? 0 : still + 1;
    last = now;
    if (still >= LOOKS) {
      stop();
      onStall();
    }
  };
  // What has arrived while the process was busy is read first.
  const timer = setInterval(() => setImmediate(look), withinMs / LOOKS);
  const stop = (): void => clearInterval(timer);
  return stop;
}

const LOOKS = 4;
