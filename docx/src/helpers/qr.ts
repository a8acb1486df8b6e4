import makeCode from 'qrcode-generator';
import { encodeBilevelPng } from './png.ts';
import type { Picture } from './picture.ts';

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
