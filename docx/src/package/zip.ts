import { crc32, inflateRawSync } from 'node:zlib';
import { TemplateError } from '../errors.ts';
import type { Limits } from '../limits.ts';

/** A file in the zip. `packed` is a view into the original bytes, so that it can be copied as it is. */
export interface ZipEntry {
  readonly name: string;
  readonly method: 0 | 8;
  readonly crc: number;
  readonly packed: Buffer;
  readonly size: number;
}

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_SIZE = 22;
const CENTRAL_SIZE = 46;
const LOCAL_SIZE = 30;
const COMMENT_MAX = 0xffff;
const ZIP64 = 0xffffffff;

/** Reads the central directory once. Nothing is inflated here. */
export function readZip(bytes: Buffer, limits: Limits): ZipEntry[] {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  if (count > limits.entries) {
    throw new TemplateError(
      'too_many_entries',
      `The file holds ${count} files; at most ${limits.entries} are accepted.`,
    );
  }
  const entries: ZipEntry[] = [];
  const ranges: [number, number][] = [];
  const names = new Set<string>();
  let total = 0;
  let at = bytes.readUInt32LE(end + 16);
  for (let i = 0; i < count; i++) {
    if (at + CENTRAL_SIZE > end) throw truncated();
    if (bytes.readUInt32LE(at) !== CENTRAL) throw corrupt('its directory is damaged');
    const { entry, range, next } = readEntry(bytes, at, end);
    at = next;
    const key = entry.name.toLowerCase();
    // Two readers could pick different ones of two files with one name.
    if (names.has(key)) throw corrupt(`it holds "${entry.name}" twice`);
    names.add(key);
    total += entry.size;
    if (total > limits.inflatedBytes) throw tooLarge(limits.inflatedBytes);
    ranges.push(range);
    if (!entry.name.endsWith('/')) entries.push(entry);
  }
  refuseOverlaps(ranges);
  return entries;
}

/** Inflates no further than the directory says, and checks the sum. */
export function unpack(entry: ZipEntry, limit: number): Buffer {
  if (entry.size > limit) throw tooLarge(limit, entry.name);
  let data = entry.packed;
  if (entry.method === 8) {
    try {
      data = inflateRawSync(entry.packed, { maxOutputLength: Math.max(entry.size, 1) });
    } catch {
      throw corrupt(`"${entry.name}" cannot be inflated to the size it states`);
    }
  }
  if (data.length !== entry.size || crc32(data) !== entry.crc) {
    throw corrupt(`"${entry.name}" does not match its checksum`);
  }
  return data;
}

function findEnd(bytes: Buffer): number {
  const lowest = Math.max(0, bytes.length - END_SIZE - COMMENT_MAX);
  for (let at = bytes.length - END_SIZE; at >= lowest; at--) {
    if (bytes.readUInt32LE(at) === END) return at;
  }
  throw truncated();
}

function readEntry(
  bytes: Buffer,
  at: number,
  end: number,
): { entry: ZipEntry; range: [number, number]; next: number } {
  const flags = bytes.readUInt16LE(at + 8);
  const method = bytes.readUInt16LE(at + 10);
  const packedSize = bytes.readUInt32LE(at + 20);
  const size = bytes.readUInt32LE(at + 24);
  const nameLength = bytes.readUInt16LE(at + 28);
  const local = bytes.readUInt32LE(at + 42);
  const nameEnd = at + CENTRAL_SIZE + nameLength;
  const next = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  if (next > end) throw truncated();
  const name = bytes.toString('utf8', at + CENTRAL_SIZE, nameEnd);
  if (flags & 1) {
    throw new TemplateError('encrypted', 'The file is encrypted. Save it without a password.');
  }
  if (packedSize === ZIP64 || size === ZIP64 || local === ZIP64) {
    throw corrupt('it is in the zip64 form, which documents do not need');
  }
  if (method !== 0 && method !== 8) throw corrupt(`"${name}" is compressed in an unknown way`);
  if (!isSafeName(name)) throw corrupt(`it holds a file with the unsafe name "${name}"`);
  if (local + LOCAL_SIZE > end) throw truncated();
  if (bytes.readUInt32LE(local) !== LOCAL) throw corrupt(`"${name}" is not where it should be`);
  const localName = bytes.readUInt16LE(local + 26);
  const start = local + LOCAL_SIZE + localName + bytes.readUInt16LE(local + 28);
  if (start + packedSize > end) throw truncated();
  if (bytes.toString('utf8', local + LOCAL_SIZE, local + LOCAL_SIZE + localName) !== name) {
    throw corrupt(`"${name}" has another name in its own header`);
  }
  const packed = bytes.subarray(start, start + packedSize);
  const entry: ZipEntry = { name, method, crc: bytes.readUInt32LE(at + 16), packed, size };
  return { entry, range: [local, start + packedSize], next };
}

function isSafeName(name: string): boolean {
  return (
    name.length > 0 &&
    !name.startsWith('/') &&
    !/[\\:]/.test(name) &&
    !name.includes('\0') &&
    !name.split('/').includes('..')
  );
}

/** Entries that share bytes make a small file inflate without end. */
function refuseOverlaps(ranges: [number, number][]): void {
  ranges.sort((a, b) => a[0] - b[0]);
  let last = 0;
  for (const [start, end] of ranges) {
    if (start < last) throw corrupt('its files overlap');
    last = end;
  }
}

function truncated(): TemplateError {
  return new TemplateError(
    'truncated',
    'The file ends too early: it was cut off. Upload it again.',
  );
}

function corrupt(why: string): TemplateError {
  return new TemplateError('corrupt_zip', `The file is not a sound DOCX: ${why}.`);
}

function tooLarge(limit: number, name?: string): TemplateError {
  const what = name === undefined ? 'The file' : `"${name}" in the file`;
  return new TemplateError('too_large', `${what} inflates to more than ${limit} bytes.`);
}
