import makeCode from 'qrcode-generator';
import type { Picture } from './picture.ts';
import { crc32, deflateSync } from 'node:zlib';

export type QrLevel = 'L' | 'M' | 'Q' | 'H';
export const QR_LEVELS: readonly string[] = ['L', 'M', 'Q', 'H'];

const QUIET_ZONE = 4; // modules of white around it, as the standard asks
const MOST_PIXELS = 8; // per module
const DOTS_PER_EMU = 300 / 914_400;

/**
 * `side` is what it takes on paper, in English Metric Units. Each module has so many whole pixels that the picture stays
 * under 300 dpi: a converter scales what is above it, which takes 5 ms and blurs the edges.
 *
 * Undefined when the value is longer than a code can hold.
 */
export function qrPicture(value: string, level: QrLevel, side: number): Picture | undefined {
  const code = makeCode(0, level);
  // The library takes one byte per character: it is given the bytes of UTF-8.
  code.addData(Buffer.from(value).toString('latin1'), 'Byte');
  try {
    code.make();
  } catch {
    return undefined;
  }
  const modules = code.getModuleCount();
  const across = modules + 2 * QUIET_ZONE;
  const fitting = Math.floor((side * DOTS_PER_EMU) / across);
  const scale = Math.max(1, Math.min(MOST_PIXELS, fitting));
  const isDark = (x: number, y: number): boolean => {
    const column = Math.floor(x / scale) - QUIET_ZONE;
    const row = Math.floor(y / scale) - QUIET_ZONE;
    const inside = column >= 0 && row >= 0 && column < modules && row < modules;
    return inside && code.isDark(row, column);
  };
  const pixels = across * scale;
  return { bytes: encodeBilevelPng(pixels, isDark), ending: 'png', width: pixels, height: pixels };
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A square picture of one bit per pixel. */
function encodeBilevelPng(side: number, isDark: (x: number, y: number) => boolean): Buffer {
  const stride = Math.ceil(side / 8) + 1;
  const rows = Buffer.alloc(stride * side);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const at = y * stride + 1 + (x >> 3);
      if (!isDark(x, y)) rows[at] = (rows[at] ?? 0) | (0x80 >> (x & 7));
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1; // bits per pixel; the colour type, compression, filter and interlace stay 0
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
