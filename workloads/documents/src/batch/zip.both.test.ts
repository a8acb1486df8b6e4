import PizZip from 'pizzip';
import { crc32 } from 'node:zlib';
import { expect } from 'vitest';
import { bytesOf } from '../../test/world.ts';
import { type ZipEntry, createZip, zipTime } from './zip.ts';
import { inFast, inLong } from '../../../../scripts/suite.ts';

function entry(name: string, text: string): ZipEntry {
  const bytes = Buffer.from(text);
  return {
    name,
    size: bytes.length,
    crc32: crc32(bytes),
    async *read({ from, to }) {
      yield bytes.subarray(from, to);
    },
  };
}

const ENTRIES = [entry('ä.pdf', 'first'), entry('empty.pdf', ''), entry('b.pdf', 'second')];

const AT = zipTime(Date.UTC(2026, 10, 16, 13, 45, 30), 'Europe/Berlin');

// The second as if 40 bytes were 4 GB: the fields of ZIP64 are used, and must say the same.
inFast.each([undefined, 40])('is read by another program (%s)', async (most32) => {
  const zip = createZip(ENTRIES, AT, most32);
  const bytes = await bytesOf(zip.read());
  expect(bytes.length).toBe(zip.size);
  const read = new PizZip(bytes, { checkCRC32: true });
  expect(Object.keys(read.files)).toEqual(['ä.pdf', 'empty.pdf', 'b.pdf']);
  expect(read.file('b.pdf')?.asText()).toBe('second');
  expect(read.file('ä.pdf')?.asText()).toBe('first');
});

inFast('every part of it is the part of the whole', async () => {
  for (const most32 of [undefined, 40]) {
    const zip = createZip(ENTRIES, AT, most32);
    const whole = await bytesOf(zip.read());
    for (let from = 0; from <= zip.size; from++)
      for (const to of [from, from + 1, from + 33, zip.size].filter((end) => end <= zip.size))
        expect((await bytesOf(zip.read({ from, to }))).equals(whole.subarray(from, to))).toBe(true);
  }
});

inLong('more entries than 16 bits count', async () => {
  const many = Array.from({ length: 70_000 }, (_, n) => entry(`${n}`, ''));
  const zip = createZip(many, AT);
  const bytes = await bytesOf(zip.read());
  expect(bytes.length).toBe(zip.size);
  expect(Object.keys(new PizZip(bytes).files)).toHaveLength(70_000);
});

inFast('equal entries give equal bytes, and none gives a ZIP', async () => {
  const [one, other] = [createZip(ENTRIES, AT), createZip(ENTRIES, AT)];
  expect(await bytesOf(one.read())).toEqual(await bytesOf(other.read()));
  expect(Object.keys(new PizZip(await bytesOf(createZip([], AT).read())).files)).toEqual([]);
});

inFast('the entries have the date that was given, in its zone', async () => {
  const [first] = Object.values(new PizZip(await bytesOf(createZip(ENTRIES, AT).read())).files);
  expect(first?.date).toEqual(new Date(2026, 10, 16, 14, 45, 30));
});
