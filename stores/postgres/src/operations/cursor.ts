import { MillraceError } from '@millrace/engine';

/** Rows that people see are numbered upwards. Null for a text that is no such number. */
export function rowNumber(text: string): number | null {
  return /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null;
}

/** A page's cursor is the number of its last row, so that rows added meanwhile change nothing. */
export function readCursor(cursor: string): number {
  const number = rowNumber(cursor);
  if (number === null)
    throw new MillraceError(
      'invalid_cursor',
      'The cursor is not one that a list has given. Start from the first page.',
    );
  return number;
}
