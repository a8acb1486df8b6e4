/** Asks for the next one while whoever has this one works on it. */
export async function* ahead<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    for (let next = items.next(); ;) {
      const { value, done } = await next;
      if (done === true) return;
      next = items.next();
      // Whoever stops here does not wait for it: its failure must not be nobody's.
      next.catch(() => {});
      yield value;
    }
  } finally {
    // After what is under way: the caller may end the reading then.
    await items.return();
  }
}
