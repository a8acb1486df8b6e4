import { crc32, deflateRawSync } from 'node:zlib';
import {
  type ZipRecord,
  directoryEnd,
  directoryEntrySize,
  localHeaderSize,
  putDirectoryEntry,
  putLocalHeader,
} from './records.ts';

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
  const laid = files.map(recordOf);
  const [bodies, entries] = sizesOf(laid);
  const [body, directory] = [Buffer.allocUnsafe(bodies), Buffer.allocUnsafe(entries)];
  put(laid, { bodies: body, at: 0 }, { entries: directory, at: 0 });
  return { body, directory, count: files.length };
}

/** A whole ZIP of files that are in memory. One buffer: with one for each record, half of the time of a small merge went there. */
export function writeZip(
  files: readonly PackedFile[],
  { body, directory, count }: ZipPrefix = layOut([]),
): Buffer {
  const laid = files.map(recordOf);
  const [bodies, entries] = sizesOf(laid);
  const offset = body.length + bodies;
  const size = directory.length + entries;
  const end = directoryEnd({ entries: count + files.length, size, offset });
  const whole = Buffer.allocUnsafe(offset + size + end.length);
  whole.set(body, 0);
  whole.set(directory, offset);
  put(laid, { bodies: whole, at: body.length }, { entries: whole, at: offset + directory.length });
  whole.set(end, offset + size);
  return whole;
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

interface Laid extends ZipRecord {
  readonly packed: Uint8Array;
}

function recordOf({ name, method, crc, size, packed }: PackedFile): Laid {
  return { name, method, crc, size, packed, packedSize: packed.length };
}

function sizesOf(laid: readonly Laid[]): [bodies: number, entries: number] {
  let [bodies, entries] = [0, 0];
  for (const file of laid) {
    // In memory, so no offset is beyond 4 GiB.
    entries += directoryEntrySize(file, 0);
    bodies += localHeaderSize(file) + file.packedSize;
  }
  return [bodies, entries];
}

/** Offsets are those within `bodies`. */
function put(
  laid: readonly Laid[],
  { bodies, at: start }: { readonly bodies: Buffer; readonly at: number },
  { entries, at: first }: { readonly entries: Buffer; readonly at: number },
): void {
  let [at, entry] = [start, first];
  for (const file of laid) {
    entry = putDirectoryEntry(entries, entry, file, at);
    const bytes = putLocalHeader(bodies, at, file);
    bodies.set(file.packed, bytes);
    at = bytes + file.packedSize;
  }
}
