/**
 * LibreOffice refreshes all indexes of a document or none. It makes tables of contents by headings and styles as Word does;
 * of others it loses what Word wrote: a bibliography its sources, a table of figures the numbers of this merge, an index the
 * pages beside its words, and any of them the text behind its end in the same paragraph. A document with one of those keeps
 * the lines that it has.
 */
export function canRefreshIndexes(texts: readonly string[]): boolean {
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
