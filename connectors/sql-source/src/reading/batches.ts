import type { CopiedRows, Cut } from '../source.ts';
import type { RowReader } from './row-tap.ts';

/** Puts rows together in large buffers: bytes are copied, since they are the socket's, which uses them again. */
export interface Batches extends RowReader {
  /** The rest at the end. */
  rest(): CopiedRows | null;
}

const FIRST_BYTES = { least: 4 * 1024, most: 64 * 1024 };

/** `onBatch` gets each batch with the row that completes it. */
export function createBatches(cut: Cut, onBatch: (batch: CopiedRows) => void): Batches {
  const { bytes, rows, mostBytes = Infinity, nextRows } = cut;
  let mostRows = nextRows?.(null) ?? Infinity;
  let buffer: Buffer = Buffer.allocUnsafeSlow(firstBytes(cut));
  let count = 0;
  let length = 0;
  let lastFrom = 0;
  /** Where the row begins that is under way. */
  let rowFrom = 0;

  function take(): CopiedRows {
    const batch = {
      bytes: buffer.subarray(0, length),
      rows: count,
      lastRow: buffer.subarray(lastFrom, length),
    };
    // The reader has the old one. The next batch will be about as large.
    buffer = Buffer.allocUnsafeSlow(buffer.length);
    count = length = lastFrom = rowFrom = 0;
    mostRows = nextRows?.({ rows: batch.rows, bytes: batch.bytes.length }) ?? Infinity;
    return batch;
  }

  return {
    part(from, start, end) {
      const more = end - start;
      if (length + more > buffer.length) buffer = grown(buffer, length, more);
      from.copy(buffer, length, start, end);
      length += more;
    },
    endRow() {
      lastFrom = rowFrom;
      rowFrom = length;
      count += 1;
      const isFull = (length >= bytes && count >= rows) || length >= mostBytes;
      if (isFull || count >= mostRows) onBatch(take());
    },
    rest: () => (count === 0 ? null : take()),
  };
}

function firstBytes({ bytes, likelyBytes = 0 }: Cut): number {
  const small = Math.min(Math.max(bytes * 2, FIRST_BYTES.least), FIRST_BYTES.most);
  return Math.max(small, likelyBytes);
}

function grown(buffer: Buffer, used: number, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, used + needed));
  buffer.copy(larger, 0, 0, used);
  return larger;
}
