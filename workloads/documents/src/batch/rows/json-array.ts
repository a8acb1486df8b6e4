import { DocumentError } from '../../document-error.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const NOT_AN_ARRAY = 'The rows are not a JSON array of objects.';

/**
 * Cuts a JSON array into the texts of its elements, as it comes; null for one with more bytes than a row may have. Parsed as a whole, 100 MB of
 * `{},` are 33 million objects: 2 GB, and half a minute without an end. Whether an element is JSON is for whoever parses it.
 */
export async function* elementsOf(
  texts: AsyncIterable<string>,
  mostBytes: number,
): AsyncGenerator<string | null> {
  // Of the array itself: 0 before and after it, 1 between its elements.
  let depth = 0;
  let isOver = false;
  let isInText = false;
  let isEscaped = false;
  let element = createElement(mostBytes);

  for await (const part of texts) {
    let from = 0;
    for (let at = 0; at < part.length; at++) {
      const code = part.charCodeAt(at);
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (code === BACKSLASH) isEscaped = true;
        else if (code === QUOTE) isInText = false;
      } else if (depth === 0) {
        if (isSpace(code)) continue;
        if (isOver || part[at] !== '[') throw refused(NOT_AN_ARRAY);
        depth = 1;
        from = at + 1;
      } else if (code === QUOTE) isInText = true;
      else if (OPENING.has(code)) depth += 1;
      else if (CLOSING.has(code) && depth > 1) depth -= 1;
      else if ((code === COMMA && depth === 1) || CLOSING.has(code)) {
        const isLast = code !== COMMA;
        if (isLast && part[at] !== ']') throw refused('The rows are not JSON: a ] is missing.');
        element.add(part.slice(from, at));
        from = at + 1;
        const isNothing = element.isBlank();
        if (isNothing && !(isLast && element.isFirst))
          throw refused('The rows are not JSON: there is nothing between two commas.');
        if (!isNothing) yield element.take();
        element = createElement(mostBytes, false);
        if (!isLast) continue;
        depth = 0;
        isOver = true;
      }
    }
    if (depth > 0) element.add(part.slice(from));
  }
  if (!isOver) throw refused(depth === 0 ? NOT_AN_ARRAY : 'The rows are not JSON: they break off.');
}

function createElement(mostBytes: number, isFirst = true) {
  let text = '';
  let bytes = 0;
  return {
    isFirst,
    add(piece: string): void {
      bytes += Buffer.byteLength(piece);
      text = bytes > mostBytes ? '' : text + piece;
    },
    isBlank: () => bytes <= mostBytes && text.trim() === '',
    take: () => (bytes > mostBytes ? null : text),
  };
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

export function refused(message: string, cause?: unknown): DocumentError {
  return new DocumentError('invalid_rows', message, { cause });
}
