/** So far, as the source sent it. */
export interface ReadSoFar {
  readonly rows: number;
  readonly bytes: number;
}

/** A chunk of narrow rows must not hold up cancel and shutdown for long. */
const MOST_ROWS = 100_000;

/**
 * Rows of the next chunk, so that it has about so many bytes. Of what was read so far alone, and never of time: whoever goes on after
 * a crash has to cut where the one before would have cut, or packed files would differ.
 */
export function nextChunkRows(
  so: ReadSoFar,
  chunk: { readonly bytes: number; readonly rows: number },
): number {
  // The first is the smallest: how wide the rows are is not known yet.
  const rows = so.rows === 0 ? 0 : Math.round(chunk.bytes / Math.max(1, so.bytes / so.rows));
  return Math.max(chunk.rows, Math.min(rows, MOST_ROWS));
}
