import { parse } from 'csv-parse';
import { Readable } from 'node:stream';
import { DocumentError } from '../../errors.ts';
import { ROW_LIMITS, type Cell, type TableLine } from './row.ts';
import { badHeader } from './table.ts';
import { columnName } from './xlsx/sheet.ts';

export interface CsvLines {
  readonly delimiter: string;
  readonly lines: AsyncGenerator<TableLine>;
}

/** The lines of a CSV. Their numbers are those of the file, so that a cell with line breaks does not shift them. */
export async function readCsv(
  texts: AsyncIterable<string>,
  asked: string | undefined,
): Promise<CsvLines> {
  const { first, all } = await peek(plainBreaks(texts));
  // Spreadsheet programs may say it in a line of its own.
  const said = /^\ufeff?"?sep=([,;\t|])"?$/i.exec(first)?.[1];
  const delimiter = asked ?? said ?? guessDelimiter(first);
  return { delimiter, lines: linesOf(all, delimiter, said === undefined ? 0 : 1) };
}

async function* linesOf(
  texts: AsyncIterable<string>,
  delimiter: string,
  skipped: number,
): AsyncGenerator<TableLine> {
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    from_line: skipped + 1,
    relax_column_count: true,
    // A quote where none should be is kept as it is: the parser would not find back to the rows after it.
    relax_quotes: true,
    record_delimiter: '\n',
    skip_records_with_error: true,
    max_record_size: RECORD_BYTES,
  });
  let cutOff: string | null = null;
  parser.on('skip', (error: { readonly code?: string } | undefined) => {
    cutOff ??= error?.code ?? '';
  });
  const source = Readable.from(texts);
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let count = 0;
  let last = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      last = info.lines;
      const line = last - record.join('').split('\n').length + 1;
      const cells = record.map(cellOf);
      const isBlank = cells.every((cell) => cell === '');
      const isHeader = count === 0 && !isBlank;
      if (isHeader) count = record.length;
      const isShort = !isBlank && record.length < count;
      const error = isShort
        ? `The row has ${record.length} cells, the first row ${count}.`
        : isHeader
          ? null
          : failedFormula(cells);
      yield error === null ? { line, cells } : { line, cells, error };
    }
    if (cutOff !== null && count === 0) throw badHeader('has a quote that is not closed');
    if (cutOff !== null) throw notClosed(cutOff, last + 1);
  } finally {
    source.destroy();
    parser.destroy();
  }
}

/** Beyond this a quote that nobody closed is given up: what follows would be gathered into one cell. */
const RECORD_BYTES = 10 * ROW_LIMITS.rowBytes;

/**
 * The error of a quote that is never closed. It refuses the whole file: rows after the quote cannot be told apart,
 * nor given back to correct.
 */
function notClosed(code: string, line: number): DocumentError {
  const what =
    code === 'CSV_MAX_RECORD_SIZE'
      ? `A row has more than ${RECORD_BYTES / 1_000_000} MB, as if a quote were not closed`
      : `A quote that is opened in line ${line} is not closed`;
  return new DocumentError(
    'invalid_rows',
    `${what}, so that the rows after it cannot be read. Close it, or remove it.`,
  );
}

type Parsed = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

/**
 * As spreadsheets write the two truths; as text, FALSE would count as true in a condition. And `="007"`, by which
 * programs keep a spreadsheet from reading a code as a number.
 */
function cellOf(text: string): Cell {
  if (text === 'TRUE') return true;
  if (text === 'FALSE') return false;
  return /^="(?:[^"]|"")*"$/.test(text) ? text.slice(2, -1).replaceAll('""', '"') : text;
}

/** What a formula shows that could not be computed, also in other languages: `#N/A`, `#NV`, `#BEZUG!`, `Err:502`. */
const FAILED_FORMULA = /^(?:#N\/[AD]|#NV|#\p{Lu}[\p{Lu}\d/]*[!?]|Err:\d{3})$/u;

function failedFormula(cells: readonly Cell[]): string | null {
  const index = cells.findIndex((cell) => FAILED_FORMULA.test(String(cell)));
  return index === -1
    ? null
    : `Column ${columnName(index + 1)} shows the error ${String(cells[index])} of a formula.`;
}

/** One kind of line break: within quotes the parser counts those of Windows twice, and lines would be off. */
async function* plainBreaks(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let held = '';
  for await (const text of texts) {
    const whole = held + text;
    // The other half of a break may be in the next piece.
    held = whole.endsWith('\r') ? '\r' : '';
    yield whole.slice(0, whole.length - held.length).replace(/\r\n?/g, '\n');
  }
  if (held !== '') yield '\n';
}

/** Enough of the beginning to see the first line that holds something. */
async function peek(
  texts: AsyncIterable<string>,
): Promise<{ first: string; all: AsyncIterable<string> }> {
  const rest = texts[Symbol.asyncIterator]();
  let begun = '';
  let isOver = false;
  while (!/[^\s,;|].*\n/.test(begun) && begun.length < ROW_LIMITS.rowBytes && !isOver) {
    const next = await rest.next();
    if (next.done === true) isOver = true;
    else begun += next.value;
  }
  async function* all(): AsyncGenerator<string> {
    yield begun;
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      yield next.value;
  }
  const first = begun.split('\n').find((line) => /[^\s,;|]/.test(line)) ?? '';
  return { first, all: all() };
}

/** Half of Europe's spreadsheets write semicolons. */
function guessDelimiter(line: string): string {
  const bare = line.replace(/"[^"]*"/g, '');
  const counts = [',', ';', '\t', '|'].map((sign) => ({ sign, n: bare.split(sign).length }));
  return counts.toSorted((a, b) => b.n - a.n)[0]?.sign ?? ',';
}
