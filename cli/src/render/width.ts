// How many columns a text takes in a terminal. Cells are measured before they are coloured, so no
// escape sequence is ever counted here.

const segmenter = new Intl.Segmenter();

const CONTROL = /[\p{Control}\p{Bidi_Control}]+/gu;
const ASCII = /^[\u0020-\u007E]*$/;
const NO_WIDTH = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;
const EMOJI = /^\p{Emoji_Presentation}|\uFE0F/u;

/** East Asian Wide and Fullwidth: the blocks that matter, from Unicode's EastAsianWidth.txt. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
];

/**
 * One line without control characters. What jobs and servers say is shown to a terminal: an escape
 * sequence in an error message must not move the cursor, nor a bidirectional mark turn the row around.
 */
export function clean(text: string): string {
  return text.replaceAll(CONTROL, ' ');
}

/** Each line on its own, where a text may have several. */
export function cleanLines(text: string): string {
  return text.split('\n').map(clean).join('\n');
}

export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += segmentWidth(segment);
  return width;
}

/** The text in at most so many columns, with … where something is missing. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (columns <= 0) return '';
  let kept = '';
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    width += segmentWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

const COLOUR = /(\p{Control}\[\d+m)/u;

/** Like `cut`, for a line that is coloured already: the colours are kept, so that each one ends. */
export function cutPainted(line: string, columns: number): string {
  let room = columns;
  const parts = line.split(COLOUR).map((part) => {
    if (COLOUR.test(part)) return part;
    const width = widthOf(part);
    const kept = room > 0 ? cut(part, room) : '';
    room -= width;
    return kept;
  });
  return parts.join('');
}

/** At spaces, into lines of at most so many columns; a longer word stays whole. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && widthOf(longer) > columns) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}

function segmentWidth(segment: string): number {
  if (NO_WIDTH.test(segment)) return 0;
  if (EMOJI.test(segment)) return 2;
  const point = segment.codePointAt(0) ?? 0;
  return WIDE.some(([first, last]) => point >= first && point <= last) ? 2 : 1;
}
