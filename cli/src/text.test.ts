import { expect, test } from 'vitest';
import { createTextReader } from './input.ts';

/** In pieces of so many bytes. */
function read(bytes: Buffer, piece: number): string {
  const reader = createTextReader('The file "a.sql"');
  let text = '';
  for (let at = 0; at < bytes.length; at += piece)
    text += reader.read(bytes.subarray(at, at + piece));
  return text + reader.end();
}

const TEXT = "SELECT 'Łódź 行'";
const utf16 = Buffer.from(`\uFEFF${TEXT}`, 'utf16le');

test.each([
  ['UTF-8', Buffer.from(TEXT)],
  ['UTF-8 with a mark', Buffer.from(`\uFEFF${TEXT}`)],
  ['UTF-16', utf16],
  ['UTF-16, the other way', Buffer.from(utf16).swap16()],
])('%s is read whole, in pieces of any size', (_, bytes) => {
  for (const piece of [1, 2, 3, 1_000]) expect(read(bytes, piece)).toBe(TEXT);
});

test.each([
  ['another encoding', Buffer.from('SELECT \u00e9 FROM x', 'latin1'), 'is not UTF-8: save it'],
  ['a letter that is cut off', Buffer.from('é').subarray(0, 1), 'is not UTF-8: save it'],
  ['a spreadsheet', Buffer.from([0x50, 0x4b, 3, 4, 0x14, 0, 8, 0]), 'is not a text file.'],
  ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]), 'is not a text file.'],
  ['UTF-16 without a mark', utf16.subarray(2), 'is not a text file.'],
])('%s is refused in a sentence', (_, bytes, sentence) => {
  expect(() => read(bytes, 1_000)).toThrow(`The file "a.sql" ${sentence}`);
});

test('nothing is an empty text', () => {
  expect(read(Buffer.alloc(0), 1)).toBe('');
});
