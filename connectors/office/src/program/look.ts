import { inflateRawSync } from 'node:zlib';
import { canRefreshIndexes } from './indexes.ts';

/**
 * What a document asks for that LibreOffice does not do, or not say, by itself: found in its text, in the process that will convert
 * it, before that. 0.3 ms for an invoice.
 */
export interface Looked {
  /** It has a table of contents, which shows the template's lines until it is refreshed, and nothing that this would harm. */
  readonly canRefresh: boolean;
  /** A field that prints the document's name: the same document under another name is another one. */
  readonly printsName: boolean;
  /** Characters that no font here has, the first few: LibreOffice draws boxes. */
  readonly missing: readonly string[];
}

/** Where text is: not styles, not settings. */
const TEXT_PART = /^word\/(?:document|header|footer|footnotes|endnotes)\w*\.xml$/i;
const MOST_BYTES = 200 * 1024 * 1024;
const NAME = /(?:<(?:\w{1,20}:)?instrText\b[^<>]*>|w:instr=")\s*FILENAME\b/i;
/** Every text font has the rest. */
const BEYOND_LATIN = /[\u0250-\u{10ffff}]/gu;
const SHOWN = 10;

export const NOTHING: Looked = { canRefresh: false, printsName: false, missing: [] };

/** Nothing is found in what is no ZIP, or a broken one: LibreOffice will say so. */
export function look(docx: Buffer, covers: (codePoint: number) => boolean): Looked {
  try {
    const texts = [...textsOf(docx)];
    return {
      canRefresh: canRefreshIndexes(texts),
      printsName: texts.some((text) => NAME.test(text)),
      missing: missingIn(texts, covers),
    };
  } catch {
    return NOTHING;
  }
}

function missingIn(
  texts: readonly string[],
  covers: (codePoint: number) => boolean,
): readonly string[] {
  const missing = new Set<string>();
  for (const text of texts)
    for (const [character] of text.matchAll(BEYOND_LATIN)) {
      if (!missing.has(character) && !covers(character.codePointAt(0) ?? 0)) missing.add(character);
      if (missing.size === SHOWN) return [...missing];
    }
  return [...missing];
}

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const DEFLATED = 8;

/** By the ZIP's directory, which is at its end. */
function* textsOf(docx: Buffer): Generator<string> {
  const end = docx.lastIndexOf(Buffer.from('PK\u0005\u0006'));
  if (end < 0 || docx.readUInt32LE(end) !== END) return;
  let room = MOST_BYTES;
  let at = docx.readUInt32LE(end + 16);
  while (at + 46 <= end && docx.readUInt32LE(at) === ENTRY) {
    const [method, packed, start] = [
      docx.readUInt16LE(at + 10),
      docx.readUInt32LE(at + 20),
      docx.readUInt32LE(at + 42),
    ];
    const [nameBytes, extra, comment] = [28, 30, 32].map((place) => docx.readUInt16LE(at + place));
    const next = at + 46 + (nameBytes ?? 0);
    if (TEXT_PART.test(docx.toString('utf8', at + 46, next))) {
      const from = start + 30 + docx.readUInt16LE(start + 26) + docx.readUInt16LE(start + 28);
      const content = docx.subarray(from, from + packed);
      const xml =
        method === DEFLATED ? inflateRawSync(content, { maxOutputLength: room }) : content;
      room -= xml.length;
      yield xml.toString('utf8');
    }
    at = next + (extra ?? 0) + (comment ?? 0);
  }
}
