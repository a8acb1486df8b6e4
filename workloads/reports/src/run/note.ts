import type { ReportCursor } from './cursor.ts';

/** What readers of the file have to know about it, in a sentence; null: nothing. */
export function noteOf(
  { seams, leftOut, restarts }: Pick<ReportCursor, 'seams' | 'leftOut' | 'restarts'>,
  options: {
    readonly hasAsOf: boolean;
    readonly replaced: number;
    readonly cut: number;
    readonly rounded: number;
  },
): string | null {
  const sentences = [
    // With an as-of column later changes are left out, whichever snapshot is read.
    seams.length > 0 && !options.hasAsOf
      ? `The run was interrupted: rows after ${seams.map(rowInWords).join(', after ')} were read from a later snapshot.`
      : null,
    leftOut > 0
      ? `${rowsInWords(leftOut)} changed after the report began, and ${leftOut === 1 ? 'was' : 'were'} left out.`
      : null,
    restarts > 0
      ? 'The file was begun again, because the part that was written before was gone, or of another version of Millrace.'
      : null,
    options.cut > 0
      ? `${options.cut} cells were longer than a spreadsheet takes, and end with a mark where they were cut.`
      : null,
    options.rounded > 0
      ? `Numbers with more digits than a double of Parquet were rounded: ${options.rounded.toLocaleString('en-US')}. \`format: text\` on the column keeps every digit.`
      : null,
    options.replaced > 0
      ? `${options.replaced} characters could not be written, and are U+FFFD in the file.`
      : null,
  ].filter((sentence) => sentence !== null);
  return sentences.length === 0 ? null : sentences.join(' ');
}

function rowsInWords(rows: number): string {
  return rows === 1 ? '1 row' : `${rows.toLocaleString('en-US')} rows`;
}

function rowInWords(row: number): string {
  return `row ${row.toLocaleString('en-US')}`;
}
