import * as zlib from 'node:zlib';
import { deflate, finishDeflate, NO_SUMS, type Sums } from './deflate.ts';
import { TableError } from './errors.ts';
import type { Writer } from './columns.ts';

export const COMPRESSIONS = ['gzip', 'zstd'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

/** Deflated, no name, no time, unknown system: the same for every file. */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
const NOTHING = new Uint8Array();

export function compressed<Batch>(
  writer: Writer<null, Batch>,
  compression: Compression,
  from: Sums | null,
): Writer<Sums | null, Batch> {
  return compression === 'gzip' ? gzipped(writer, from ?? NO_SUMS) : zstandard(writer);
}

/** One member, whatever the number of chunks: some readers stop at the end of the first. */
function gzipped<Batch>(writer: Writer<null, Batch>, from: Sums): Writer<Sums, Batch> {
  let sums = from;

  function* pack(pieces: Iterable<Uint8Array>): Iterable<Uint8Array> {
    for (const piece of pieces) {
      const { bytes, sums: after } = deflate(piece, sums);
      sums = after;
      yield bytes;
    }
  }

  return {
    *begin() {
      yield GZIP_HEADER;
      yield* pack(writer.begin());
    },
    write: (batch) => pack(writer.write(batch)),
    *end() {
      yield* pack(writer.end());
      yield finishDeflate(sums).bytes;
      const trailer = Buffer.alloc(8);
      trailer.writeUInt32LE(sums.crc, 0);
      trailer.writeUInt32LE(sums.size % 2 ** 32, 4);
      yield trailer;
    },
    state: () => sums,
  };
}

/**
 * A frame for each piece: frames that follow each other are one file to zstd, pyarrow and DuckDB. One frame in pieces would
 * need the compressor's memory as its state. Node's own reader (22.23) stops after the first frame, without an error.
 */
function zstandard<Batch>(writer: Writer<null, Batch>): Writer<null, Batch> {
  const compress = zstdCompress();
  let isEmpty = false;

  function* pack(pieces: Iterable<Uint8Array>): Iterable<Uint8Array> {
    for (const piece of pieces) {
      isEmpty = false;
      yield compress(piece);
    }
  }

  return {
    *begin() {
      isEmpty = true;
      yield* pack(writer.begin());
    },
    write: (batch) => pack(writer.write(batch)),
    *end() {
      yield* pack(writer.end());
      // No row and no header, as in JSON Lines: a file without a frame is a damaged one.
      if (isEmpty) yield compress(NOTHING);
    },
    state: () => null,
  };
}

export function hasZstandard(): boolean {
  return 'zstdCompressSync' in zlib;
}

function zstdCompress(): (bytes: Uint8Array) => Uint8Array {
  if ('zstdCompressSync' in zlib) {
    return zlib.zstdCompressSync as (bytes: Uint8Array) => Uint8Array;
  }
  throw new TableError(
    'bad_option',
    `This Node (${process.version}) has no Zstandard; 22.15 and later have. Use gzip.`,
  );
}
