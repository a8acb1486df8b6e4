/** Looks after each turn of the event loop, and not for ever. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; turns < 100_000; turns += 1) {
    if (isSo()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('It never came to be so.');
}

/** A promise that a test keeps when it likes. */
export function later(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((kept) => {
    resolve = kept;
  });
  return { promise, resolve: () => resolve() };
}
