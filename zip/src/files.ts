import { crc32, deflateRawSync } from 'node:zlib';
import { directoryEnd, directoryEntry, localHeader } from './records.ts';

/** A file with its bytes as they go into the ZIP. */
export interface PackedFile {
  readonly name: string;
  readonly method: 0 | 8;
  readonly crc: number;
  readonly size: number;
  readonly packed: Uint8Array;
}

/** Files that many ZIPs begin with: laid out once, copied as one block. */
export interface ZipPrefix {
  readonly body: Buffer;
  readonly directory: Buffer;
  readonly count: number;
}

export function deflated(name: string, data: Uint8Array, level: number): PackedFile {
  const packed = deflateRawSync(data, { level });
  return { name, method: 8, crc: crc32(data), size: data.length, packed };
}

export function stored(name: string, data: Uint8Array): PackedFile {
  return { name, method: 0, crc: crc32(data), size: data.length, packed: data };
}

export function layOut(files: readonly PackedFile[]): ZipPrefix {
  const { bodies, entries } = placed(files, 0);
  return { body: Buffer.concat(bodies), directory: Buffer.concat(entries), count: files.length };
}

/** A whole ZIP of files that are in memory. */
export function writeZip(
  files: readonly PackedFile[],
  { body, directory, count }: ZipPrefix = layOut([]),
): Buffer {
  const { bodies, entries, offset } = placed(files, body.length);
  const size = entries.reduce((sum, { length }) => sum + length, directory.length);
  const end = directoryEnd({ entries: count + files.length, size, offset });
  return Buffer.concat([body, ...bodies, directory, ...entries, end]);
}

/** The same from names and contents: stored, or deflated at that level. */
export function zip(contents: Readonly<Record<string, string | Uint8Array>>, level = 0): Buffer {
  return writeZip(
    Object.entries(contents).map(([name, content]) => {
      const data = Buffer.from(content);
      return level === 0 ? stored(name, data) : deflated(name, data, level);
    }),
  );
}

function placed(files: readonly PackedFile[], start: number) {
  const bodies: Uint8Array[] = [];
  const entries: Buffer[] = [];
  let offset = start;
  for (const { packed, ...file } of files) {
    const record = { ...file, packedSize: packed.length };
    const header = localHeader(record);
    bodies.push(header, packed);
    entries.push(directoryEntry(record, offset));
    offset += header.length + packed.length;
  }
  return { bodies, entries, offset };
}
