import { outputFailure } from '../errors.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** S3's own limit. */
export const MOST_PARTS = 10_000;
/** S3's own limit for all parts but the last. */
export const SMALLEST_PART = 5 * MIB;

/**
 * How much is gathered before it is sent, by where it begins: memory stays at a few megabytes for files that people have, and 10,000
 * parts are enough for 2 TiB (4,096 of 8 MiB, 2,048 of 64 MiB, the rest of 512 MiB). With 8 MiB throughout it would be 80 GiB.
 */
export function partBytes(offset: number): number {
  if (offset < 32 * GIB) return 8 * MIB;
  return offset < 160 * GIB ? 64 * MIB : 512 * MIB;
}

export function checkedNumber(number: number): number {
  if (number <= MOST_PARTS) return number;
  throw outputFailure(
    'output_too_large',
    'The file is larger than 2 TiB, and object storage takes no more parts. Export in smaller pieces, or compressed.',
  );
}

/** What one request copies: "5 GiB at most", and a gigabyte takes the storage some seconds. */
const COPY_BYTES = GIB;

/** Ranges that cover the first `size` bytes, none smaller than a part may be. */
export function copyRanges(
  size: number,
  most = COPY_BYTES,
): readonly { readonly from: number; readonly to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (let from = 0; from < size;) {
    const left = size - from;
    const to = left < most + SMALLEST_PART ? size : from + most;
    ranges.push({ from, to });
    from = to;
  }
  return ranges;
}
