import { inflateRawSync } from 'node:zlib';

/**
 * The things that a document asks for and LibreOffice does not do, or not say, by itself: found in its text, in the process that will convert
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

/**
 * LibreOffice refreshes all indexes of a document or none. It makes tables of contents by headings and styles as Word does;
 * of others it loses what Word wrote: a bibliography its sources, a table of figures the numbers of this merge, an index the
 * pages beside its words, and any of them the text behind its end in the same paragraph. A document with one of those keeps
 * the lines that it has.
 */
function canRefreshIndexes(texts: readonly string[]): boolean {
  const starts = texts.map((text) => [...text.matchAll(INDEX)].map(({ index }) => index));
  const count = starts.flat().length;
  if (count === 0 || count > MOST) return false;
  return texts.every((text, part) => starts[part]?.every((at) => isPlainContents(text, at)));
}

/**
 * In a field's instruction: `TOC \o "1-3"`, and the others that are made of the rest of the document. From the `<` of its tag, which no
 * text has: a text of nothing but that word was read again from each of them (1 MB: minutes).
 */
const INDEX =
  /(?:<(?:\w{1,20}:)?instrText\b[^<>]*>|w:instr=")\s*(?:TOC|INDEX|TOA|BIBLIOGRAPHY)\b/gi;
/** Each is followed to its end, which for thousands inside one another would take long. */
const MOST = 50;

const MARK = /w:fldCharType="(begin|separate|end)"/g;
const SWITCH = /\\(\S)(?:\s*"([^"]*)")?/g;
/** By heading levels, by outline levels, as links, without numbers on the web; how its lines look. */
const PLAIN = new Set(['o', 'u', 'h', 'z', '*']);

function isPlainContents(text: string, at: number): boolean {
  let depth = 1;
  let instructionEnd: number | null = null;
  for (const { 1: type, index } of text.slice(at).matchAll(MARK)) {
    if (depth === 1) instructionEnd ??= at + index;
    depth += type === 'begin' ? 1 : type === 'end' ? -1 : 0;
    if (depth > 0) continue;
    return isPlainInstruction(text.slice(at, instructionEnd ?? at)) && !goesOn(text, at + index);
  }
  return false;
}

function isPlainInstruction(xml: string): boolean {
  const words = xml.slice(xml.indexOf('>') + 1).replace(/<[^>]*>?/g, '');
  const instruction = words.replaceAll('&quot;', '"').trimStart();
  return (
    /^TOC\b/i.test(instruction) &&
    [...instruction.matchAll(SWITCH)].every(
      // German and French Word write a semicolon between styles, which LibreOffice does not read.
      ([, name = '', value = '']) => PLAIN.has(name) || (name === 't' && !value.includes(';')),
    )
  );
}

/** Text between the end of a field and the end of its paragraph. */
function goesOn(text: string, end: number): boolean {
  const paragraphEnd = text.indexOf('</w:p>', end);
  return /<w:t[ >]/.test(text.slice(end, paragraphEnd === -1 ? undefined : paragraphEnd));
}
