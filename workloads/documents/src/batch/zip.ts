import type { ByteRange } from '@millrace/workload-kit';

/**
 * A ZIP that is never stored: its entries are kept as they are (PDFs do not compress), so its length and the place
 * of each byte follow from names, sizes and checksums. Equal entries and times give equal bytes.
 */
export interface ZipEntry {
  readonly name: string;
  readonly size: number;
  readonly crc32: number;
  read(range: ByteRange): AsyncIterable<Uint8Array>;
}

export interface Zip {
  readonly size: number;
  read(range?: ByteRange): AsyncGenerator<Uint8Array>;
}

const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const VERSION = { usual: 20, zip64: 45 };
const UTF8_NAMES = 0x0800;

/** What a ZIP knows of time: day and time of day without a zone, from 1980, in steps of two seconds. */
export interface ZipTime {
  readonly date: number;
  readonly time: number;
}

export function zipTime(moment: number, timeZone: string): ZipTime {
  const parts = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(moment);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return {
    date: (Math.min(127, Math.max(0, of('year') - 1980)) << 9) | (of('month') << 5) | of('day'),
    time: (of('hour') << 11) | (of('minute') << 5) | (of('second') >> 1),
  };
}

/** Tests set `most32` low: nobody waits for 4 GB. */
export function createZip(entries: readonly ZipEntry[], at: ZipTime, most32 = MAX_32): Zip {
  const names = entries.map(({ name }) => Buffer.from(name));
  const starts: number[] = [];
  let directoryStart = 0;
  for (const [index, { size }] of entries.entries()) {
    if (size >= MAX_32) throw new RangeError('An entry of a ZIP is smaller than 4 GB.');
    starts.push(directoryStart);
    directoryStart += 30 + (names[index]?.length ?? 0) + size;
  }
  const directory = Buffer.concat(
    entries.map((entry, index) =>
      directoryEntry({ ...entry, at }, names[index] ?? Buffer.alloc(0), starts[index] ?? 0, most32),
    ),
  );
  const end = endOf(entries.length, directory.length, directoryStart, most32);
  const tail = Buffer.concat([directory, end]);
  const size = directoryStart + tail.length;

  async function* read(range: ByteRange = { from: 0, to: size }): AsyncGenerator<Uint8Array> {
    const { from, to } = range;
    for (let index = firstAt(starts, from); index < entries.length; index++) {
      const entry = entries[index];
      const start = starts[index] ?? 0;
      if (entry === undefined || start >= to) break;
      const header = localHeader({ ...entry, at }, names[index] ?? Buffer.alloc(0));
      yield* cut(header, start, range);
      const data = start + header.length;
      const part = { from: Math.max(0, from - data), to: Math.min(entry.size, to - data) };
      if (part.from < part.to) yield* entry.read(part);
    }
    yield* cut(tail, directoryStart, range);
  }

  return { size, read };
}

/** The entry in which a byte lies, by halving: a resumed download of 100,000 entries starts at once. */
function firstAt(starts: readonly number[], position: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

function* cut(bytes: Buffer, start: number, { from, to }: ByteRange): Generator<Uint8Array> {
  const part = bytes.subarray(Math.max(0, from - start), Math.max(0, to - start));
  if (part.length > 0) yield part;
}

type Dated = Pick<ZipEntry, 'size' | 'crc32'> & { readonly at: ZipTime };

function localHeader(entry: Dated, name: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeCommon(header, 4, VERSION.usual, entry, name.length);
  return Buffer.concat([header, name]);
}

/** The 22 bytes that both headers share: from the version to the length of the name. */
function writeCommon(
  into: Buffer,
  at: number,
  version: number,
  entry: Dated,
  nameLength: number,
): void {
  into.writeUInt16LE(version, at);
  into.writeUInt16LE(UTF8_NAMES, at + 2);
  into.writeUInt16LE(0, at + 4); // stored
  into.writeUInt16LE(entry.at.time, at + 6);
  into.writeUInt16LE(entry.at.date, at + 8);
  into.writeUInt32LE(entry.crc32, at + 10);
  into.writeUInt32LE(entry.size, at + 14);
  into.writeUInt32LE(entry.size, at + 18);
  into.writeUInt16LE(nameLength, at + 22);
}

function directoryEntry(entry: Dated, name: Buffer, start: number, most32: number): Buffer {
  const isFar = start >= most32;
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(VERSION.zip64, 4);
  writeCommon(header, 6, isFar ? VERSION.zip64 : VERSION.usual, entry, name.length);
  header.writeUInt16LE(isFar ? 12 : 0, 30);
  header.writeUInt32LE(isFar ? MAX_32 : start, 42);
  if (!isFar) return Buffer.concat([header, name]);
  const extra = Buffer.alloc(12);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8, 2);
  extra.writeBigUInt64LE(BigInt(start), 4);
  return Buffer.concat([header, name, extra]);
}

function endOf(count: number, size: number, start: number, most32: number): Buffer {
  const isLarge = count >= MAX_16 || start >= most32 || size >= MAX_32;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(isLarge ? MAX_16 : count, 8);
  end.writeUInt16LE(isLarge ? MAX_16 : count, 10);
  end.writeUInt32LE(isLarge ? MAX_32 : size, 12);
  end.writeUInt32LE(isLarge ? MAX_32 : start, 16);
  if (!isLarge) return end;
  const record = Buffer.alloc(56 + 20);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(VERSION.zip64, 12);
  record.writeUInt16LE(VERSION.zip64, 14);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(size), 40);
  record.writeBigUInt64LE(BigInt(start), 48);
  record.writeUInt32LE(0x07064b50, 56);
  record.writeBigUInt64LE(BigInt(start + size), 64);
  record.writeUInt32LE(1, 72);
  return Buffer.concat([record, end]);
}
