/** The same bytes, once the first of them are there: whatever keeps them from coming is thrown now, and not in the middle. */
export async function firstOf(
  bytes: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  const reader = bytes[Symbol.asyncIterator]();
  const first = await reader.next();
  return rest(reader, first);
}

async function* rest(
  reader: AsyncIterator<Uint8Array>,
  first: IteratorResult<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let next = first; next.done !== true; next = await reader.next()) yield next.value;
  } finally {
    await reader.return?.();
  }
}
