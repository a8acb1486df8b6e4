import { csvRecord } from '@millrace/api';

/** The file of failed rows, as the service writes it, and back. */
export interface FailedTable {
  readonly delimiter: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Columns that the file has beside those of the batch. */
export const LINE = 'millrace line';
export const ERROR = 'millrace error';

const MARK = '\ufeff';

export function parseFailed(text: string): FailedTable {
  const whole = text.startsWith(MARK) ? text.slice(1) : text;
  const firstLine = whole.slice(0, Math.max(whole.indexOf('\n'), 0));
  // The first name is ours, so what follows it is the delimiter.
  const delimiter = firstLine[LINE.length] ?? ',';
  const [header = [], ...rows] = records(whole, delimiter);
  return { delimiter, header, rows };
}

function records(text: string, delimiter: string): string[][] {
  const found: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (sign === '"' && cell === '') isQuoted = true;
    else if (sign === delimiter) {
      cells.push(cell);
      cell = '';
    } else if (sign === '\n') {
      found.push([...cells, cell.replace(/\r$/, '')]);
      cells = [];
      cell = '';
    } else cell += sign;
  }
  if (cell !== '' || cells.length > 0) found.push([...cells, cell]);
  return found;
}

export function writeFailed({ delimiter, header, rows }: FailedTable): string {
  const lines = [header, ...rows].map((cells) => csvRecord(cells, delimiter));
  return `${MARK}${lines.join('\r\n')}\r\n`;
}
