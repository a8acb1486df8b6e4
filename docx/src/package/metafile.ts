/**
 * Windows metafiles: lists of records that draw. A few records only carry other files: EMF+ pictures and brushes,
 * alternative formats, programs' own data. An office reads those by their bytes, so that an SVG in one is rendered
 * with all that it refers to. They are filled with zeros, which keeps every length and offset as it is; the plain
 * records, which Office writes beside them, draw the same.
 */

const EMF_HEADER = 1;
const EMF_COMMENT = 70;
const EMF_END = 14;

/** Undefined when it is no EMF, its records do not follow one another, or nothing but EMF+ draws. */
export function cleanEmf(bytes: Buffer): Buffer | undefined {
  if (bytes.length < 88 || bytes.readUInt32LE(0) !== EMF_HEADER) return undefined;
  if (bytes.toString('latin1', 40, 44) !== ' EMF') return undefined;
  const refused: [number, number][] = [];
  for (let at = 0; at + 8 <= bytes.length;) {
    const type = bytes.readUInt32LE(at);
    const size = bytes.readUInt32LE(at + 4);
    if (size < 8 || at + size > bytes.length) return undefined;
    if (type === EMF_COMMENT) {
      if (isPlusAlone(bytes, at, size)) return undefined;
      refused.push([at + 12, at + size]);
    }
    at += size;
    if (type === EMF_END) return zeroed(bytes, [...refused, [at, bytes.length]]);
  }
  return undefined;
}

const EMF_PLUS_HEADER = 0x4001;

/** The header of EMF+ says in its first flag whether plain records draw the same. */
function isPlusAlone(bytes: Buffer, at: number, size: number): boolean {
  return (
    size >= 20 &&
    bytes.toString('latin1', at + 12, at + 16) === 'EMF+' &&
    bytes.readUInt16LE(at + 16) === EMF_PLUS_HEADER &&
    (bytes.readUInt16LE(at + 18) & 1) === 0
  );
}

const PLACEABLE = 0x9ac6cdd7;
const WMF_ESCAPE = 0x0626;
const WMF_END = 0;

/** Undefined when it is no WMF, or its records do not follow one another. */
export function cleanWmf(bytes: Buffer): Buffer | undefined {
  const head = bytes.length >= 40 && bytes.readUInt32LE(0) === PLACEABLE ? 22 : 0;
  if (bytes.length < head + 18) return undefined;
  const kind = bytes.readUInt16LE(head);
  if ((kind !== 1 && kind !== 2) || bytes.readUInt16LE(head + 2) !== 9) return undefined;
  const refused: [number, number][] = [];
  for (let at = head + 18; at + 6 <= bytes.length;) {
    const size = bytes.readUInt32LE(at) * 2;
    const type = bytes.readUInt16LE(at + 4);
    if (size < 6 || at + size > bytes.length) return undefined;
    if (type === WMF_ESCAPE) refused.push([at + 6, at + size]);
    at += size;
    if (type === WMF_END) return zeroed(bytes, [...refused, [at, bytes.length]]);
  }
  return undefined;
}

/** The very bytes where there is nothing to fill. */
function zeroed(bytes: Buffer, ranges: readonly [from: number, to: number][]): Buffer {
  const filled = ranges.filter(([from, to]) => from < to);
  if (filled.length === 0) return bytes;
  const copy = Buffer.from(bytes);
  for (const [from, to] of filled) copy.fill(0, from, to);
  return copy;
}
