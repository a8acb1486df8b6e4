/** A piece of text of a page, with its place in parts of the page's width and height. */
export interface Letters extends Box {
  readonly text: string;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Where a text stands on a page. Spaces do not count: a PDF has them or not, as its writer likes. The box is that of the
 * first line that the text stands in.
 */
export function findText(letters: readonly Letters[], wanted: string): Box | null {
  const needle = bare(wanted);
  if (needle === '') return null;
  const owners: number[] = [];
  let all = '';
  for (const [index, { text }] of letters.entries()) {
    const plain = bare(text);
    all += plain;
    for (let at = 0; at < plain.length; at++) owners.push(index);
  }
  const from = all.indexOf(needle);
  const first = letters[owners[from] ?? -1];
  if (from === -1 || first === undefined) return null;
  const start = from - owners.indexOf(owners[from] ?? 0);
  const size = Math.max(bare(first.text).length, 1);
  const left = first.left + (first.width * start) / size;
  const whole = owners
    .slice(from, from + needle.length)
    .map((owner) => letters[owner])
    .filter((each) => each !== undefined && Math.abs(each.top - first.top) < first.height / 2);
  const last = whole.at(-1);
  const lettersOfFirst = whole.filter((each) => each === first).length;
  const right =
    last === undefined || last === first
      ? left + (first.width * lettersOfFirst) / size
      : last.left + last.width;
  return { left, top: first.top, width: Math.max(right - left, 0.005), height: first.height };
}

function bare(text: string): string {
  return text.replaceAll(/\s+/gu, '').toLowerCase();
}

/**
 * What to look for in a finished page to find a place of the template: the fixed words around its fields, the longest
 * first. The fields themselves are gone by then.
 */
export function fixedWords(snippet: string): string[] {
  return snippet
    .split(/\{\{[^}]*\}\}|\{\{.*$|^…|…$/u)
    .map((part) => part.trim())
    .filter((part) => part.length > 2)
    .toSorted((a, b) => b.length - a.length);
}
