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
/** A JPEG of 4 × 2 as a camera writes it: with a preview, which is a JPEG of its own, and with pixels. */
export const PHOTO = Buffer.from(
  'ffd8' +
    'ffe1000affd8ffd900000000' +
    'ffc0000b080002000401011100' +
    'ffda0008010100003f00' +
    '12ff0034ffd05678' +
    'ffd9',
  'hex',
);
export const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20" fill="#c33"/></svg>',
);

/** An SVG that shows an image file of the machine that renders it. */
export function svgShowing(address: string): Buffer {
  return Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="20">' +
      `<image width="40" height="20" xlink:href="${address}"/></svg>`,
  );
}

/** A record of an EMF: its type, its length, what it holds. */
function emfRecord(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(type, 0);
  const padded = Buffer.concat([body, Buffer.alloc((4 - (body.length % 4)) % 4)]);
  head.writeUInt32LE(8 + padded.length, 4);
  return Buffer.concat([head, padded]);
}

/** An EMF of an empty page that carries a comment. `EMF+` at its start makes it EMF+. */
export function emf(comment: Buffer): Buffer {
  const head = Buffer.alloc(80);
  head.writeInt32LE(40, 8);
  head.writeInt32LE(20, 12);
  head.writeInt32LE(1_000, 24);
  head.writeInt32LE(500, 28);
  head.write(' EMF', 32, 'latin1');
  head.writeUInt32LE(0x10000, 36);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(comment.length);
  const records = [
    emfRecord(1, head),
    emfRecord(70, Buffer.concat([length, comment])),
    emfRecord(14, Buffer.from('00000000100000001400000000000000'.slice(0, 24), 'hex')),
  ];
  const bytes = Buffer.concat(records);
  bytes.writeUInt32LE(bytes.length, 48);
  bytes.writeUInt32LE(records.length, 52);
  return bytes;
}

/** EMF+ that draws a picture of the given bytes; `dual` says that plain records draw the same. */
export function emfPlus(picture: Buffer, dual: boolean): Buffer {
  const record = (type: number, flags: number, data: Buffer) => {
    const head = Buffer.alloc(12);
    head.writeUInt16LE(type, 0);
    head.writeUInt16LE(flags, 2);
    head.writeUInt32LE(12 + data.length, 4);
    head.writeUInt32LE(data.length, 8);
    return Buffer.concat([head, data]);
  };
  const bitmap = Buffer.alloc(28);
  bitmap.writeUInt32LE(0xdbc01002, 0);
  bitmap.writeUInt32LE(1, 4); // a bitmap
  bitmap.writeUInt32LE(1, 24); // packed as a file
  const padded = Buffer.concat([bitmap, picture, Buffer.alloc((4 - (picture.length % 4)) % 4)]);
  return Buffer.concat([
    Buffer.from('EMF+'),
    record(0x4001, dual ? 1 : 0, Buffer.alloc(16)),
    record(0x4008, 0x0500, padded),
  ]);
}

/** A WMF of an empty page that carries an escape record. */
export function wmf(escape: Buffer): Buffer {
  const padded = Buffer.concat([escape, Buffer.alloc(escape.length % 2)]);
  const head = Buffer.from('010009000003000000000000000000000000', 'hex');
  const record = Buffer.alloc(6);
  record.writeUInt32LE((6 + padded.length) / 2, 0);
  record.writeUInt16LE(0x0626, 4);
  const end = Buffer.from('030000000000', 'hex');
  return Buffer.concat([head, record, padded, end]);
}
