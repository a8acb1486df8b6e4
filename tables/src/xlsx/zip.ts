// The parts of a ZIP file that is written from front to back. Entries of unknown size have their sums after them (data
// descriptor) in 32 bits, the form that every reader has: a sheet is closed before it reaches 4 GiB. Where an entry
// begins can be further on than that, and is then in the ZIP64 form.

import type { Sums } from '../deflate.ts';

export interface ZipEntry extends Sums {
  readonly name: string;
  /** Where it begins. */
  readonly offset: number;
  /** Its sums follow its bytes. */
  readonly isStreamed: boolean;
}

const LOCAL = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const OFFSET_64 = 0x0001;

const DEFLATED = 8;
const SUMS_FOLLOW = 0x0008;
const UTF8_NAMES = 0x0800;
const VERSION = 20;
const VERSION_64 = 45;
/** 1 January 1980, the first day that a ZIP can name: equal rows give equal bytes. */
const DATE = 0x21;
export const MAX_32 = 0xffffffff;

export function localHeader(entry: Omit<ZipEntry, 'offset'>): Buffer {
  const name = Buffer.from(entry.name);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(LOCAL, 0);
  header.writeUInt16LE(VERSION, 4);
  writeCommon(header, 6, entry, entry.isStreamed ? null : entry);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

export function descriptor(sums: Sums): Buffer {
  const after = Buffer.alloc(16);
  after.writeUInt32LE(DESCRIPTOR, 0);
  writeSums(after, 4, sums);
  return after;
}

/** The end of the file: what it holds, and where. */
export function directory(entries: readonly ZipEntry[], offset: number): Buffer {
  const list = Buffer.concat(entries.map(directoryEntry));
  const isFar = offset >= MAX_32;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(isFar ? MAX_32 : offset, 16);
  return Buffer.concat([list, ...(isFar ? [farEnd(entries, list.length, offset)] : []), end]);
}

function directoryEntry(entry: ZipEntry): Buffer {
  const name = Buffer.from(entry.name);
  const isFar = entry.offset >= MAX_32;
  const extra = Buffer.alloc(isFar ? 12 : 0);
  if (isFar) {
    extra.writeUInt16LE(OFFSET_64, 0);
    extra.writeUInt16LE(8, 2);
    extra.writeBigUInt64LE(BigInt(entry.offset), 4);
  }
  const header = Buffer.alloc(46);
  const version = isFar ? VERSION_64 : VERSION;
  header.writeUInt32LE(CENTRAL, 0);
  header.writeUInt16LE(version, 4);
  header.writeUInt16LE(version, 6);
  writeCommon(header, 8, entry, entry);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(isFar ? MAX_32 : entry.offset, 42);
  return Buffer.concat([header, name, extra]);
}

function farEnd(entries: readonly ZipEntry[], size: number, offset: number): Buffer {
  const far = Buffer.alloc(56 + 20);
  far.writeUInt32LE(END_64, 0);
  far.writeBigUInt64LE(44n, 4); // what follows these twelve bytes
  far.writeUInt16LE(VERSION_64, 12);
  far.writeUInt16LE(VERSION_64, 14);
  far.writeBigUInt64LE(BigInt(entries.length), 24);
  far.writeBigUInt64LE(BigInt(entries.length), 32);
  far.writeBigUInt64LE(BigInt(size), 40);
  far.writeBigUInt64LE(BigInt(offset), 48);
  far.writeUInt32LE(LOCATOR_64, 56);
  far.writeBigUInt64LE(BigInt(offset + size), 64);
  far.writeUInt32LE(1, 72); // of one file
  return far;
}

/** The 20 bytes that both headers share. */
function writeCommon(
  into: Buffer,
  at: number,
  { isStreamed }: { readonly isStreamed: boolean },
  sums: Sums | null,
): void {
  into.writeUInt16LE(UTF8_NAMES | (isStreamed ? SUMS_FOLLOW : 0), at);
  into.writeUInt16LE(DEFLATED, at + 2);
  into.writeUInt16LE(0, at + 4);
  into.writeUInt16LE(DATE, at + 6);
  if (sums !== null) writeSums(into, at + 8, sums);
}

function writeSums(into: Buffer, at: number, { crc, packed, size }: Sums): void {
  into.writeUInt32LE(crc, at);
  into.writeUInt32LE(packed, at + 4);
  into.writeUInt32LE(size, at + 8);
}
