// Readers for tests, as strict as a reader can be: every byte of the file is accounted for.

import { crc32, inflateRawSync } from 'node:zlib';

/** The files of a ZIP by name, in the order in which they lie. */
export function unzip(zip: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  const { entries, offset, end } = directoryOf(zip);
  let at = 0;
  for (const entry of entries) {
    if (entry.offset !== at) throw new Error(`${entry.name} begins at ${entry.offset}, not ${at}`);
    if (zip.readUInt32LE(at) !== 0x04034b50) throw new Error(`no header of ${entry.name}`);
    const name = zip.toString('utf8', at + 30, at + 30 + zip.readUInt16LE(at + 26));
    if (name !== entry.name) throw new Error(`${entry.name} is called ${name}`);
    const start = at + 30 + zip.readUInt16LE(at + 26) + zip.readUInt16LE(at + 28);
    const data = inflateRawSync(zip.subarray(start, start + entry.packed));
    if (data.length !== entry.size) throw new Error(`${name} has ${data.length} bytes`);
    if (crc32(data) !== entry.crc) throw new Error(`${name} does not match its sum`);
    files.set(name, data.toString());
    at = start + entry.packed;
    if ((entry.flags & 8) === 0) continue;
    const sums = [zip.readUInt32LE(at + 4), zip.readUInt32LE(at + 8), zip.readUInt32LE(at + 12)];
    if (
      zip.readUInt32LE(at) !== 0x08074b50 ||
      sums.join() !== [entry.crc, entry.packed, entry.size].join()
    )
      throw new Error(`the sums after ${name} are wrong`);
    at += 16;
  }
  if (at !== offset || end !== zip.length) throw new Error('bytes are left over');
  return files;
}

interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

/** The entries of a ZIP, or of the last bytes of one, which begin at `from`. */
export function directoryOf(
  bytes: Buffer,
  from = 0,
): { entries: Entry[]; offset: number; end: number } {
  const last = bytes.length - 22;
  if (bytes.readUInt32LE(last) !== 0x06054b50) throw new Error('no end');
  const count = bytes.readUInt16LE(last + 10);
  let offset = bytes.readUInt32LE(last + 16);
  let end = last;
  if (offset === 0xffffffff) {
    if (bytes.readUInt32LE(last - 20) !== 0x07064b50) throw new Error('no locator');
    const far = Number(bytes.readBigUInt64LE(last - 12)) - from;
    if (bytes.readUInt32LE(far) !== 0x06064b50) throw new Error('no end in 64 bits');
    offset = Number(bytes.readBigUInt64LE(far + 48));
    end = far;
  }
  const entries: Entry[] = [];
  let at = offset - from;
  for (let i = 0; i < count; i++) {
    if (bytes.readUInt32LE(at) !== 0x02014b50) throw new Error('the directory is damaged');
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
    const extra = bytes.readUInt16LE(at + 30);
    const near = bytes.readUInt32LE(at + 42);
    entries.push({
      name: bytes.toString('utf8', at + 46, nameEnd),
      flags: bytes.readUInt16LE(at + 8),
      crc: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      offset: near === 0xffffffff ? Number(bytes.readBigUInt64LE(nameEnd + 4)) : near,
    });
    at = nameEnd + extra;
  }
  if (at !== end) throw new Error('the directory has another length');
  return { entries, offset, end: bytes.length };
}

/** Cells by their place: `B2` → `t="b" 1`. Text is unescaped, as XML and Excel write it. */
export function cellsOf(sheet: string): Record<string, string> {
  const cells: Record<string, string> = {};
  for (const [, place = '', rest = '', inner = ''] of sheet.matchAll(
    /<c r="([A-Z]+\d+)"([^>]*)>(.*?)<\/c>/gs,
  )) {
    const text = /<t[^>]*>(.*)<\/t>/s.exec(inner)?.[1];
    const value = /<v>(.*)<\/v>/.exec(inner)?.[1];
    cells[place] = text === undefined ? `${rest.trim()} ${value}`.trim() : `text ${plain(text)}`;
  }
  return cells;
}

function plain(xml: string): string {
  return xml
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/_x([\dA-F]{4})_/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
}
