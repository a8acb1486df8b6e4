import makeCode from 'qrcode-generator';
import { encodeBilevelPng } from './png.ts';
import type { Picture } from './picture.ts';

export type QrLevel = 'L' | 'M' | 'Q' | 'H';

const QUIET_ZONE = 4; // modules of white around it, as the standard asks
const SCALE = 8; // pixels per module: sharp at 4 cm on paper

/** Undefined when the value is longer than a code can hold. */
export function qrPicture(value: string, level: QrLevel): Picture | undefined {
  const code = makeCode(0, level);
  // The library takes one byte per character: it is given the bytes of UTF-8.
  code.addData(Buffer.from(value).toString('latin1'), 'Byte');
  try {
    code.make();
  } catch {
    return undefined;
  }
  const modules = code.getModuleCount();
  const side = (modules + 2 * QUIET_ZONE) * SCALE;
  const isDark = (x: number, y: number): boolean => {
    const column = Math.floor(x / SCALE) - QUIET_ZONE;
    const row = Math.floor(y / SCALE) - QUIET_ZONE;
    const inside = column >= 0 && row >= 0 && column < modules && row < modules;
    return inside && code.isDark(row, column);
  };
  return { bytes: encodeBilevelPng(side, isDark), ending: 'png', width: side, height: side };
}
