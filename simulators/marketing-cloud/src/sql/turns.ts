/** So many at once; the others wait, first come first served. */
export function createTurns(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = places;

  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // A place goes from hand to hand: one that were free for a moment could be taken by who has not waited.
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
