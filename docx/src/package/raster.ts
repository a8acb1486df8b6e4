/** The first bytes of pictures made of dots, as Latin-1. */
const STARTS: readonly [start: string, type: string][] = [
  ['\u0089PNG\r\n\u001a\n', 'image/png'],
  ['\u00ff\u00d8\u00ff', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['II*\u0000', 'image/tiff'],
  ['MM\u0000*', 'image/tiff'],
  ['II\u00bc', 'image/vnd.ms-photo'],
];
/** The lengths that the second header of a BMP may have: two letters alone would be too little to tell it by. */
const BMP_HEADERS: readonly number[] = [12, 40, 52, 56, 64, 108, 124];

/** The type of a picture made of dots, which can hold no reference; undefined for everything else. */
export function rasterType(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 18);
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'image/webp';
  if (head.startsWith('BM') && head.length === 18) {
    return BMP_HEADERS.includes(bytes.readUInt32LE(14)) ? 'image/bmp' : undefined;
  }
  return STARTS.find(([start]) => head.startsWith(start))?.[1];
}
