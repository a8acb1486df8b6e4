import type { Notes, Row } from './columns.ts';

/** About 10 ms of work, and of gzip at 120 MB/s another 4; deflate gains nothing beyond it. */
export const PIECE = 512 * 1024;
const SURROGATE_HALF = /\p{Cs}/gu;

/** Lines of text as UTF-8, in pieces that depend on the rows alone. */
export function* encodeLines(
  rows: readonly Row[],
  lineOf: (row: Row) => string,
  notes: Notes,
): Iterable<Uint8Array> {
  let text = '';
  for (const row of rows) {
    text += lineOf(row);
    if (text.length < PIECE) continue;
    yield encode(text, notes);
    text = '';
  }
  if (text !== '') yield encode(text, notes);
}

export function encode(text: string, notes: Notes): Uint8Array {
  if (!text.isWellFormed()) notes.replaced += surrogateHalves(text);
  return Buffer.from(text);
}

export function surrogateHalves(text: string): number {
  return text.match(SURROGATE_HALF)?.length ?? 0;
}
