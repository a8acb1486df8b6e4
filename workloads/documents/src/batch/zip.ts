import type { ByteRange } from '@millrace/workload-kit';
import { MAX_32, type ZipTime, directoryEnd, directoryEntry, localHeader } from '@millrace/zip';

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
  const recordOf = ({ name, size, crc32: crc }: ZipEntry) =>
    ({ name, method: 0, crc, size, packedSize: size, at }) as const;
  const starts: number[] = [];
  let directoryStart = 0;
  for (const { name, size } of entries) {
    if (size >= MAX_32) throw new RangeError('An entry of a ZIP is smaller than 4 GB.');
    starts.push(directoryStart);
    directoryStart += 30 + Buffer.byteLength(name) + size;
  }
  const directory = Buffer.concat(
    entries.map((entry, index) => directoryEntry(recordOf(entry), starts[index] ?? 0, most32)),
  );
  const place = { entries: entries.length, size: directory.length, offset: directoryStart };
  const tail = Buffer.concat([directory, directoryEnd(place, most32)]);
  const size = directoryStart + tail.length;

  async function* read(range: ByteRange = { from: 0, to: size }): AsyncGenerator<Uint8Array> {
    const { from, to } = range;
    for (let index = firstAt(starts, from); index < entries.length; index++) {
      const entry = entries[index];
      const start = starts[index] ?? 0;
      if (entry === undefined || start >= to) break;
      const header = localHeader(recordOf(entry));
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
