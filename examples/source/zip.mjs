import { crc32, deflateRawSync } from 'node:zlib';

/** 1980-01-01: the same input gives the same bytes. */
const DATE = 0x21;

/**
 * A zip with everything deflated.
 * @param {Readonly<Record<string, string | Uint8Array>>} files
 * @returns {Buffer}
 */
export function zip(files) {
  /** @type {Buffer[]} */
  const bodies = [];
  /** @type {Buffer[]} */
  const directory = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const path = Buffer.from(name);
    const plain = Buffer.from(content);
    const packed = deflateRawSync(plain, { level: 9 });
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0); // the version that can read it
    facts.writeUInt16LE(8, 4); // deflated
    facts.writeUInt16LE(DATE, 8);
    facts.writeUInt32LE(crc32(plain), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(plain.length, 18);
    facts.writeUInt16LE(path.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    bodies.push(Buffer.from('PK\x03\x04'), facts, path, packed);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), facts, place, path);
    offset += 4 + facts.length + path.length + packed.length;
  }
  const entries = Buffer.concat(directory);
  const count = Object.keys(files).length;
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, entries, end]);
}
