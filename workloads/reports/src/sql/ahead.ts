/** Asks for the next `most` while whoever has one works on it. */
export async function* ahead<T>(
  items: AsyncGenerator<T, void>,
  most: number,
): AsyncGenerator<T, void> {
  const asked: Promise<IteratorResult<T, void>>[] = [];
  function ask(): void {
    const next = items.next();
    // Whoever stops does not wait for it: its failure must not be nobody's.
    next.catch(() => {});
    asked.push(next);
  }
  try {
    for (;;) {
      if (asked.length === 0) ask();
      const next = await asked.shift();
      if (next === undefined || next.done === true) return;
      while (asked.length < most) ask();
      yield next.value;
    }
  } finally {
    // After what is under way: the caller may end the reading then.
    await items.return();
  }
}
