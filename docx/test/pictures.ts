import { deflateSync } from 'node:zlib';
import { crc32 } from 'node:zlib';

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A blue picture. */
export function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.from([30, 90, 200]), Buffer.alloc(0)]);
  const line = Buffer.concat([
    row.subarray(0, 1),
    ...Array.from({ length: width }, () => row.subarray(1)),
  ]);
  const rows = Buffer.concat(Array.from({ length: height }, () => line));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export const PNG = png(4, 2);
export const GIF = Buffer.from(
  'R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==',
  'base64',
);
/** Headers of a JPEG of 4 × 2: enough for its size, which is all the merge reads. */
export const JPEG = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffc0000b080002000401011100ffd9',
  'hex',
);
export const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20" fill="#c33"/></svg>',
);
