import { crc32, deflateSync } from 'node:zlib';
import type { KitDocument } from './kit.ts';

/** As high as wide at most this much: a page may be a till roll. */
const TALLEST = 4;

/** Page 1 as a PNG, painted by LibreOffice itself: Debian's writer package has no PNG filter. */
export function paintThumbnail(document: KitDocument, width: number): Buffer {
  const page = firstPage(document.pages());
  const height = Math.max(1, Math.round((width * page.height) / page.width));
  const size = { width, height: Math.min(height, width * TALLEST) };
  const area = { ...page, height: Math.round((page.width * size.height) / width) };
  const { pixels, order } = document.paint(area, size);
  return encodePng(pixels, { ...size, order });
}

/** From "x, y, width, height; …", in twips. */
export function firstPage(pages: string): { x: number; y: number; width: number; height: number } {
  const [x, y, width, height] = (pages.split(';')[0] ?? '').split(',').map(Number);
  if (x === undefined || y === undefined || !width || !height)
    throw new Error('LibreOffice found no page to paint.');
  return { x, y, width, height };
}

/** Eight bits of red, green and blue a pixel, no transparency: paper is white where nothing was painted. */
export function encodePng(
  pixels: Uint8Array,
  { width, height, order }: { width: number; height: number; order: 'rgba' | 'bgra' },
): Buffer {
  const [red, blue] = order === 'rgba' ? [0, 2] : [2, 0];
  const rows = Buffer.alloc((width * 3 + 1) * height);
  let to = 0;
  for (let y = 0; y < height; y++) {
    to++; // each row begins with its filter: none
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 4;
      const paper = 255 - (pixels[from + 3] ?? 0); // the colours come multiplied by their alpha
      rows[to++] = (pixels[from + red] ?? 0) + paper;
      rows[to++] = (pixels[from + 1] ?? 0) + paper;
      rows[to++] = (pixels[from + blue] ?? 0) + paper;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // eight bits, true colour
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND'),
  ]);
}

function chunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const content = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}
