import { gunzipSync } from 'node:zlib';
import * as zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { COLUMNS, fileOf, someRows } from '../test/build.ts';
import { hasZstandard } from './compress.ts';
import { createTable } from './table.ts';

test.each(['csv', 'jsonl'] as const)('%s in gzip is one member, whatever the chunks', (format) => {
  const rows = someRows(20_000);
  const plain = fileOf({ format, columns: COLUMNS }, rows).bytes;
  const packed = fileOf(
    { format, columns: COLUMNS, compression: 'gzip' },
    rows.slice(0, 100),
    rows.slice(100),
  ).bytes;
  expect(packed.length).toBeLessThan(plain.length / 3);
  // The last four bytes are the length of the last member: here, of everything.
  expect(gunzipSync(packed).equals(plain)).toBe(true);
  expect(packed.readUInt32LE(packed.length - 4)).toBe(plain.length);
});

test('an empty file in gzip is one', () => {
  const { bytes } = fileOf({ format: 'jsonl', columns: COLUMNS, compression: 'gzip' });
  expect(gunzipSync(bytes)).toHaveLength(0);
});

test('Zstandard where Node has it, and otherwise a sentence', () => {
  const options = { format: 'csv', columns: COLUMNS, compression: 'zstd' } as const;
  if (!hasZstandard()) {
    expect(() => createTable(options)).toThrow(/has no Zstandard; .* Use gzip/);
    return;
  }
  const { zstdDecompressSync: unpack } = zlib as unknown as Record<
    'zstdDecompressSync',
    (bytes: Uint8Array) => Buffer
  >;
  const rows = someRows(20_000);
  const table = createTable(options);
  // Piece by piece: Node's reader stops after the first frame.
  const frames = [
    ...table.write(rows.slice(0, 10)),
    ...table.write(rows.slice(10)),
    ...table.end(),
  ];
  const plain = fileOf({ format: 'csv', columns: COLUMNS }, rows).bytes;
  expect(Buffer.concat(frames.map(unpack)).equals(plain)).toBe(true);
  const empty = createTable({ ...options, format: 'jsonl' }).end();
  expect(empty.map(unpack)).toEqual([Buffer.alloc(0)]);
});

test.each(['xlsx', 'parquet'] as const)('%s is not compressed twice', (format) => {
  expect(() => createTable({ format, columns: COLUMNS, compression: 'gzip' })).toThrow(
    'compressed already',
  );
});
