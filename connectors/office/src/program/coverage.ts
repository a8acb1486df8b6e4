/**
 * The characters that the fonts of this machine have together: a bit for each code point, 136 KB. Written once by the service, read by
 * every process.
 */
const BYTES = 0x110000 / 8;

/** From what `fc-list` prints of each font: "20-7e a0-17f 2019". */
export function coverageOf(charsets: Iterable<string>): Buffer {
  const bits = Buffer.alloc(BYTES);
  for (const charset of new Set(charsets))
    for (const range of charset.split(' ')) {
      const [first = Number.NaN, last = first] = range.split('-').map((hex) => parseInt(hex, 16));
      for (let point = first; point <= last; point++) {
        const byte = point >> 3;
        bits[byte] = (bits[byte] ?? 0) | (1 << (point & 7));
      }
    }
  return bits;
}

/** Characters that are drawn without a font of their own: joiners, marks of direction, variation selectors, private use. */
const UNDRAWN = /[\p{Cc}\p{Cf}\p{Co}\p{Zs}\p{Zl}\p{Zp}\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;

/** Without any font known, nothing is claimed. */
export function covering(bits: Buffer | null): (codePoint: number) => boolean {
  if (bits === null || bits.length !== BYTES || bits.every((byte) => byte === 0)) return () => true;
  return (point) =>
    ((bits[point >> 3] ?? 0) & (1 << (point & 7))) !== 0 ||
    UNDRAWN.test(String.fromCodePoint(point));
}
