/** As the source sent it. */
export interface ReadSoFar {
  readonly rows: number;
  readonly bytes: number;
}

/** What a chunk should have. */
export interface ChunkSize {
  readonly bytes: number;
  /** At least so many rows. */
  readonly rows: number;
}

/** A chunk of narrow rows must not hold up cancel and shutdown for long. */
const MOST_ROWS = 100_000;

/**
 * Rows of the next chunk, so that it has about so many bytes. By what was read so far alone and never by time: whoever goes on
 * after a crash has to cut where the one before would have cut, or packed files would differ. The first chunk is the smallest: how
 * wide the rows are is not known yet.
 */
export function chunkRows({ rows, bytes }: ReadSoFar, size: ChunkSize): number {
  const fitting = rows === 0 ? 0 : Math.round((size.bytes * rows) / Math.max(bytes, 1));
  return Math.max(size.rows, Math.min(fitting, MOST_ROWS));
}
