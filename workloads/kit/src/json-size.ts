/** How much a JSON text would be once it is parsed: how deep it is nested, and how many values are in it. */
export interface JsonSize {
  readonly depth: number;
  readonly values: number;
}

/**
 * More than a document or a job has. Parsed, a value is up to fifty times its text: 10 MB of `{},` are 3.3 million objects, which take
 * 200 MB and hold the process for seconds, at each place that goes through them.
 */
export const MOST_VALUES = 500_000;

const SIGNS = { quote: 0x22, backslash: 0x5c, comma: 0x2c };

/** Counts without parsing. Of what is no JSON the figures mean nothing. */
export function jsonSize(text: string): JsonSize {
  let depth = 0;
  let deepest = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case SIGNS.quote:
        at = endOfText(text, at);
        break;
      case SIGNS.comma:
        values += 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        values += 1;
        depth += 1;
        if (depth > deepest) deepest = depth;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  return { depth: deepest, values };
}

function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === SIGNS.backslash) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}
