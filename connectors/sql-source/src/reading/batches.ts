import type { CopiedRows, Cut } from '../types.ts';

/** Puts rows together in large buffers. */
export interface Batches {
  /** The row is copied: its bytes are the parser's, which uses them again. Gives the batch that it completes. */
  add(row: Buffer): CopiedRows | null;
  /** What is left at the end. */
  rest(): CopiedRows | null;
}

const FIRST_BYTES = { least: 4 * 1024, most: 64 * 1024 };

export function createBatches(cut: Cut): Batches {
  const { bytes, rows, mostBytes = Infinity, ends: wantsEnds = false } = cut;
  let buffer: Buffer = Buffer.allocUnsafeSlow(
    Math.min(Math.max(bytes * 2, FIRST_BYTES.least), FIRST_BYTES.most),
  );
  let ends: number[] = [];
  let count = 0;
  let length = 0;
  let lastFrom = 0;

  function take(): CopiedRows {
    const batch = {
      bytes: buffer.subarray(0, length),
      rows: count,
      lastRow: buffer.subarray(lastFrom, length),
      ...(wantsEnds && { ends }),
    };
    // The reader has the old one. The next batch will be about as large.
    buffer = Buffer.allocUnsafeSlow(buffer.length);
    ends = [];
    count = length = lastFrom = 0;
    return batch;
  }

  return {
    add(row) {
      if (length + row.length > buffer.length) buffer = grown(buffer, length, row.length);
      lastFrom = length;
      length += row.copy(buffer, length);
      count += 1;
      if (wantsEnds) ends.push(length);
      const isFull = (length >= bytes && count >= rows) || length >= mostBytes;
      return isFull ? take() : null;
    },
    rest: () => (count === 0 ? null : take()),
  };
}

function grown(buffer: Buffer, used: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, used + needed));
  buffer.copy(larger, 0, 0, used);
  return larger;
}
