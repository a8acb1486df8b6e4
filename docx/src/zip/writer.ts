import { crc32, deflateRawSync } from 'node:zlib';

/** A file ready to be written: its bytes as they go into the zip. */
export interface PackedFile {
  readonly name: string;
  readonly method: 0 | 8;
  readonly crc: number;
  readonly packed: Uint8Array;
  readonly size: number;
}

/** The files that every merge shares: laid out once, copied as one block. */
export interface ZipPrefix {
  readonly body: Buffer;
  readonly directory: Buffer;
  readonly count: number;
}

const UTF8_NAMES = 0x0800;
const DEFLATED = 20; // the version that a reader needs
/** 1 January 1980, the first date a zip can hold: equal input gives equal bytes. */
const DATE = 0x21;

export function deflated(name: string, data: Uint8Array, level: number): PackedFile {
  const packed = deflateRawSync(data, { level });
  return { name, method: 8, crc: crc32(data), packed, size: data.length };
}

export function stored(name: string, data: Uint8Array): PackedFile {
  return { name, method: 0, crc: crc32(data), packed: data, size: data.length };
}

export function layOut(files: readonly PackedFile[]): ZipPrefix {
  const body = Buffer.alloc(files.reduce((sum, file) => sum + bodySize(file), 0));
  const directory = Buffer.alloc(files.reduce((sum, file) => sum + directorySize(file), 0));
  let at = 0;
  let entry = 0;
  for (const file of files) {
    entry = writeDirectory(directory, entry, file, at);
    at = writeBody(body, at, file);
  }
  return { body, directory, count: files.length };
}

/** The shared files, then this merge's own. */
export function writeZip(prefix: ZipPrefix, files: readonly PackedFile[]): Buffer {
  let bodies = prefix.body.length;
  let entries = prefix.directory.length;
  for (const file of files) {
    bodies += bodySize(file);
    entries += directorySize(file);
  }
  const zip = Buffer.allocUnsafe(bodies + entries + 22);
  prefix.body.copy(zip, 0);
  prefix.directory.copy(zip, bodies);
  let at = prefix.body.length;
  let entry = bodies + prefix.directory.length;
  for (const file of files) {
    entry = writeDirectory(zip, entry, file, at);
    at = writeBody(zip, at, file);
  }
  const count = prefix.count + files.length;
  zip.writeUInt32LE(0x06054b50, entry);
  zip.writeUInt32LE(0, entry + 4);
  zip.writeUInt16LE(count, entry + 8);
  zip.writeUInt16LE(count, entry + 10);
  zip.writeUInt32LE(entries, entry + 12);
  zip.writeUInt32LE(bodies, entry + 16);
  zip.writeUInt16LE(0, entry + 20);
  return zip;
}

function bodySize(file: PackedFile): number {
  return 30 + Buffer.byteLength(file.name) + file.packed.length;
}

function directorySize(file: PackedFile): number {
  return 46 + Buffer.byteLength(file.name);
}

function writeBody(into: Buffer, start: number, file: PackedFile): number {
  into.writeUInt32LE(0x04034b50, start);
  writeCommon(into, start + 4, file);
  const at = start + 30 + into.write(file.name, start + 30);
  into.set(file.packed, at);
  return at + file.packed.length;
}

function writeDirectory(into: Buffer, start: number, file: PackedFile, offset: number): number {
  into.writeUInt32LE(0x02014b50, start);
  into.writeUInt16LE(DEFLATED, start + 4);
  writeCommon(into, start + 6, file);
  into.fill(0, start + 32, start + 42);
  into.writeUInt32LE(offset, start + 42);
  return start + 46 + into.write(file.name, start + 46);
}

/** The 26 bytes that both headers share. */
function writeCommon(into: Buffer, at: number, file: PackedFile): void {
  into.writeUInt16LE(DEFLATED, at);
  into.writeUInt16LE(UTF8_NAMES, at + 2);
  into.writeUInt16LE(file.method, at + 4);
  into.writeUInt16LE(0, at + 6);
  into.writeUInt16LE(DATE, at + 8);
  into.writeUInt32LE(file.crc, at + 10);
  into.writeUInt32LE(file.packed.length, at + 14);
  into.writeUInt32LE(file.size, at + 18);
  into.writeUInt16LE(Buffer.byteLength(file.name), at + 22);
  into.writeUInt16LE(0, at + 24);
}
