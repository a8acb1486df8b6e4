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

/** Where chunks end, from batch to batch: one has the rows that are left of its chunk, or fewer where those are wide. */
export interface ChunkCuts {
  /** Rows of the next batch, unless it is cut for its bytes. */
  rows(): number;
  /** Gives the rows that its chunk still has. */
  took(batch: ReadSoFar): number;
}

export function createChunkCuts(
  from: (ReadSoFar & { readonly left: number }) | null,
  size: ChunkSize,
): ChunkCuts {
  let so: ReadSoFar = from ?? { rows: 0, bytes: 0 };
  let left = from?.left ?? 0;
  if (left === 0) left = chunkRows(so, size);
  return {
    rows: () => left,
    took({ rows, bytes }) {
      so = { rows: so.rows + rows, bytes: so.bytes + bytes };
      left -= rows;
      const still = left;
      if (left === 0) left = chunkRows(so, size);
      return still;
    },
  };
}
