import { crc32 } from 'node:zlib';
import PizZip from 'pizzip';
import { expect, test } from 'vitest';
import {
  deflated,
  descriptor,
  directoryEnd,
  directoryEntry,
  layOut,
  localHeader,
  stored,
  writeZip,
  zip,
} from './index.ts';

const TEXT = Buffer.from('first '.repeat(50));

function filesIn(bytes: Buffer): Record<string, string> {
  const { files } = new PizZip(bytes, { checkCRC32: true });
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, file.asText()]));
}

test('files are read by another program, deflated and stored, after a shared beginning', () => {
  const shared = layOut([deflated('ä.xml', TEXT, 6), stored('b.bin', Buffer.from('b'))]);
  const bytes = writeZip([deflated('c.xml', TEXT, 1), stored('empty', Buffer.alloc(0))], shared);
  expect(filesIn(bytes)).toEqual({
    'ä.xml': String(TEXT),
    'b.bin': 'b',
    'c.xml': String(TEXT),
    empty: '',
  });
  const { date } = Object.values(new PizZip(bytes).files)[0] ?? {};
  expect(date).toEqual(new Date(1980, 0, 1));
});

test('equal contents give equal bytes, of level 0 as they are', () => {
  expect(zip({ a: 'A', b: TEXT }, 9)).toEqual(zip({ a: 'A', b: TEXT }, 9));
  expect(zip({ a: 'A', b: TEXT }).includes(TEXT)).toBe(true);
  expect(filesIn(zip({ a: 'A', b: TEXT }, 9))).toEqual({ a: 'A', b: String(TEXT) });
  expect(filesIn(zip({}))).toEqual({});
});

test('an entry whose sums follow it', () => {
  const name = 'later.txt';
  const sums = { crc: crc32(TEXT), size: TEXT.length, packedSize: TEXT.length };
  const record = { ...sums, name, method: 0, isStreamed: true } as const;
  const body = Buffer.concat([localHeader(record), TEXT, descriptor(sums)]);
  expect(body.readUInt32LE(14)).toBe(0);
  const list = directoryEntry(record, 0);
  const end = directoryEnd({ entries: 1, size: list.length, offset: body.length });
  expect(filesIn(Buffer.concat([body, list, end]))).toEqual({ [name]: String(TEXT) });
});
