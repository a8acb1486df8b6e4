import { crc32 } from 'node:zlib';

/**
 * Whether a picture is there to its end. One that was cut off while it was uploaded or exported keeps its first bytes, and with them its
 * type and size: every office then draws a black or grey area without a word. Only the frame of the file is read, no pixel.
 */

/** Chunks up to the one that ends the picture; those that a reader may not leave out have the right checksum. */
export function isWholePng(bytes: Buffer): boolean {
  let hasPixels = false;
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length) return false;
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (
      /^[A-Z]/.test(type) &&
      crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)
    )
      return false;
    if (type === 'IEND') return hasPixels;
    hasPixels ||= type === 'IDAT';
    at = end;
  }
  return false;
}

/** Blocks up to the trailer. */
export function isWholeGif(bytes: Buffer): boolean {
  const byte = (at: number) => bytes[at] ?? 0;
  const colours = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + colours(byte(10));
  while (at < bytes.length) {
    const kind = byte(at);
    if (kind === 0x3b) return true;
    if (kind === 0x2c) at += 11 + colours(byte(at + 9));
    else if (kind === 0x21) at += 2;
    else return false;
    // Pieces of up to 255 bytes, each behind its length; an empty one is the last.
    while (at < bytes.length && byte(at) !== 0) at += 1 + byte(at);
    at += 1;
  }
  return false;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size that the frame header has, if the end of the picture follows; segments are stepped over, and with them the preview of a camera. */
export function wholeJpeg(bytes: Buffer): Size | undefined {
  let size: Size | undefined;
  let at = 2;
  while (at + 1 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xd9) return size;
    const isFill = marker === 0xff;
    const isAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    if (isFill || isAlone) {
      at += isFill ? 1 : 2;
      continue;
    }
    if (at + 4 > bytes.length) return undefined;
    if (isFrame(marker) && at + 9 <= bytes.length)
      size ??= { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
    if (marker === 0xda) at = endOfScan(bytes, at);
  }
  return undefined;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** Pixels go on to the next marker: FF with a zero behind it is a value, and a restart stands between them. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return bytes.length;
}
