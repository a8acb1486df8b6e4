// The records of a ZIP file: what stands before, after and behind the bytes of its entries. An entry is smaller than 4 GiB, the
// form that every reader has; where it begins, and how many there are, may be more than that, and is then in the ZIP64 form.

export interface ZipSums {
  readonly crc: number;
  readonly size: number;
  readonly packedSize: number;
}

export interface ZipRecord extends ZipSums {
  readonly name: string;
  /** 8 is deflated, 0 stored as it is. */
  readonly method: 0 | 8;
  /** The sums follow the bytes: they were not known when the entry began. */
  readonly isStreamed?: boolean;
  /** Without one: 1 January 1980, the first that a ZIP can name, so that equal entries give equal bytes. */
  readonly at?: ZipTime;
}

/** What a ZIP knows of time: day and time of day without a zone, from 1980, in steps of two seconds. */
export interface ZipTime {
  readonly date: number;
  readonly time: number;
}

const LOCAL = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const OFFSET_64 = 0x0001;

const VERSION = 20;
const VERSION_64 = 45;
const SUMS_FOLLOW = 0x0008;
const UTF8_NAMES = 0x0800;
const FIRST_DAY: ZipTime = { date: 0x21, time: 0 };
const NO_SUMS: ZipSums = { crc: 0, size: 0, packedSize: 0 };
const MAX_16 = 0xffff;
export const MAX_32 = 0xffffffff;

export function localHeader(entry: ZipRecord): Buffer {
  const header = Buffer.allocUnsafe(localHeaderSize(entry));
  putLocalHeader(header, 0, entry);
  return header;
}

export function localHeaderSize({ name }: ZipRecord): number {
  return 30 + Buffer.byteLength(name);
}

/** Puts it at its place in a larger buffer, and gives where its bytes begin. */
export function putLocalHeader(into: Buffer, at: number, entry: ZipRecord): number {
  into.writeUInt32LE(LOCAL, at);
  putCommon(into, at + 4, VERSION, entry, entry.isStreamed ? NO_SUMS : entry);
  into.writeUInt16LE(0, at + 28);
  const nameLength = into.write(entry.name, at + 30);
  into.writeUInt16LE(nameLength, at + 26);
  return at + 30 + nameLength;
}

/** Follows the bytes of an entry that `isStreamed`. */
export function descriptor(sums: ZipSums): Buffer {
  const after = Buffer.alloc(16);
  after.writeUInt32LE(DESCRIPTOR, 0);
  putSums(after, 4, sums);
  return after;
}

/** One entry of the directory. `offset` is where its local header begins; tests set `most32` low. */
export function directoryEntry(entry: ZipRecord, offset: number, most32 = MAX_32): Buffer {
  const listed = Buffer.allocUnsafe(directoryEntrySize(entry, offset, most32));
  putDirectoryEntry(listed, 0, entry, offset, most32);
  return listed;
}

export function directoryEntrySize({ name }: ZipRecord, offset: number, most32 = MAX_32): number {
  return 46 + Buffer.byteLength(name) + (offset >= most32 ? 12 : 0);
}

/** Puts it at its place in a larger buffer, and gives where it ends. */
export function putDirectoryEntry(
  into: Buffer,
  at: number,
  entry: ZipRecord,
  offset: number,
  most32 = MAX_32,
): number {
  const isFar = offset >= most32;
  const version = isFar ? VERSION_64 : VERSION;
  into.writeUInt32LE(CENTRAL, at);
  into.writeUInt16LE(version, at + 4);
  putCommon(into, at + 6, version, entry, entry);
  into.writeUInt16LE(isFar ? 12 : 0, at + 30);
  into.fill(0, at + 32, at + 42); // comment, disk, attributes
  into.writeUInt32LE(isFar ? MAX_32 : offset, at + 42);
  const nameLength = into.write(entry.name, at + 46);
  into.writeUInt16LE(nameLength, at + 28);
  const extra = at + 46 + nameLength;
  if (!isFar) return extra;
  into.writeUInt16LE(OFFSET_64, extra);
  into.writeUInt16LE(8, extra + 2);
  into.writeBigUInt64LE(BigInt(offset), extra + 4);
  return extra + 12;
}

interface Directory {
  readonly entries: number;
  readonly size: number;
  readonly offset: number;
}

/** The last bytes of the file, after the entries of the directory. */
export function directoryEnd({ entries, size, offset }: Directory, most32 = MAX_32): Buffer {
  const [isMany, isLarge, isLate] = [entries >= MAX_16, size >= MAX_32, offset >= most32];
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(isMany ? MAX_16 : entries, 8);
  end.writeUInt16LE(isMany ? MAX_16 : entries, 10);
  end.writeUInt32LE(isLarge ? MAX_32 : size, 12);
  end.writeUInt32LE(isLate ? MAX_32 : offset, 16);
  if (!isMany && !isLarge && !isLate) return end;
  const far = Buffer.alloc(56 + 20);
  far.writeUInt32LE(END_64, 0);
  far.writeBigUInt64LE(44n, 4); // what follows these twelve bytes
  far.writeUInt16LE(VERSION_64, 12);
  far.writeUInt16LE(VERSION_64, 14);
  far.writeBigUInt64LE(BigInt(entries), 24);
  far.writeBigUInt64LE(BigInt(entries), 32);
  far.writeBigUInt64LE(BigInt(size), 40);
  far.writeBigUInt64LE(BigInt(offset), 48);
  far.writeUInt32LE(LOCATOR_64, 56);
  far.writeBigUInt64LE(BigInt(offset + size), 64);
  far.writeUInt32LE(1, 72); // of one file
  return Buffer.concat([far, end]);
}

/** The 22 bytes that both headers share: from the version to the sizes. */
function putCommon(
  into: Buffer,
  at: number,
  version: number,
  { method, isStreamed = false, at: { date, time } = FIRST_DAY }: ZipRecord,
  sums: ZipSums,
): void {
  into.writeUInt16LE(version, at);
  into.writeUInt16LE(UTF8_NAMES | (isStreamed ? SUMS_FOLLOW : 0), at + 2);
  into.writeUInt16LE(method, at + 4);
  into.writeUInt16LE(time, at + 6);
  into.writeUInt16LE(date, at + 8);
  putSums(into, at + 10, sums);
}

function putSums(into: Buffer, at: number, { crc, packedSize, size }: ZipSums): void {
  into.writeUInt32LE(crc, at);
  into.writeUInt32LE(packedSize, at + 4);
  into.writeUInt32LE(size, at + 8);
}
