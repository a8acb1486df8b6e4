import { parse } from 'csv-parse';
import { Readable } from 'node:stream';
import { DocumentError } from '../../document-error.ts';
import { type Cell, ROW_LIMITS, type TableLine } from './row.ts';
import { badHeader, tooWide } from './bad-header.ts';
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
    max_record_size: ROW_LIMITS.rowBytes,
  });
  let isCutOff = false;
  parser.on('skip', (error: { readonly code?: string } | undefined) => {
    // Thrown, it ends the parser, which would report this again for each byte that follows.
    if (error?.code === 'CSV_MAX_RECORD_SIZE') throw tooLong();
    isCutOff = true;
  });
  const source = Readable.from(texts);
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let count = 0;
  let last = 0;
  // Since the last line that was given: a file may be a million of them.
  let blank = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      last = info.lines;
      const line = last - record.join('').split('\n').length + 1;
      if (record.every((cell) => cell === '')) {
        blank += 1;
        continue;
      }
      const isHeader = count === 0;
      if (isHeader) {
        count = record.length;
        if (count > ROW_LIMITS.columns) throw tooWide(count);
      }
      const cells = record.slice(0, ROW_LIMITS.columns).map(cellOf);
      const error = isHeader ? null : wrongWith(record, cells, count);
      yield {
        line,
        cells,
        ...(error !== null && { error }),
        ...(blank > 0 && { blankAbove: blank }),
      };
      blank = 0;
    }
    if (blank > 0) yield { line: last, cells: [], blankAbove: blank - 1 };
    if (isCutOff && count === 0) throw badHeader('has a quote that is not closed');
    if (isCutOff) throw notClosed(last + 1);
  } finally {
    source.destroy();
    parser.destroy();
  }
}

function wrongWith(
  record: readonly string[],
  cells: readonly Cell[],
  count: number,
): string | null {
  if (record.length < count) return `The row has ${record.length} cells, the first row ${count}.`;
  if (record.slice(cells.length).some((cell) => cell !== ''))
    return `The row has ${record.length} cells, the first row ${count}. ${cells.length} are the most.`;
  return failedFormula(cells);
}

/**
 * The errors of a quote that is never closed. They refuse the whole file: rows after the quote cannot be told apart, nor
 * given back to correct.
 */
function notClosed(line: number): DocumentError {
  return unreadable(`A quote that is opened in line ${line} is not closed`);
}

/** Beyond the limit of a row a quote that nobody closed is given up: what follows would be gathered into one cell. */
function tooLong(): DocumentError {
  const most = ROW_LIMITS.rowBytes / 1_000_000;
  return unreadable(`A row has more than ${most} MB, as if a quote were not closed`);
}

function unreadable(what: string): DocumentError {
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
  if (text.length < 3 || !text.startsWith('="') || !text.endsWith('"')) return text;
  const inner = text.slice(2, -1);
  return inner.replaceAll('""', '').includes('"') ? text : inner.replaceAll('""', '"');
}

/** What a formula shows that could not be computed, also in other languages: `#N/A`, `#NV`, `#BEZUG!`, `Err:502`. */
const FAILED_FORMULA = /^(?:#N\/[AD]|#NV|#\p{Lu}[\p{Lu}\d/]*[!?]|Err:\d{3})$/u;

const LONGEST_FAILURE = 40;

function failedFormula(cells: readonly Cell[]): string | null {
  const index = cells.findIndex(
    (cell) =>
      typeof cell === 'string' && cell.length <= LONGEST_FAILURE && FAILED_FORMULA.test(cell),
  );
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

/** How far the first line that holds something is looked for. A header has at most 16,384 names. */
const PEEKED = 1_000_000;

/** Enough of the beginning to see the first line that holds something. Each character is looked at once. */
async function peek(
  texts: AsyncIterable<string>,
): Promise<{ first: string; all: AsyncIterable<string> }> {
  const rest = texts[Symbol.asyncIterator]();
  const read: string[] = [];
  let first = '';
  let length = 0;
  for (let isFound = false; !isFound && length < PEEKED;) {
    const next = await rest.next();
    if (next.done === true) break;
    read.push(next.value);
    length += next.value.length;
    const lines = next.value.split('\n');
    for (const [index, line] of lines.entries()) {
      first += line;
      if (index === lines.length - 1) break;
      isFound = HOLDS_SOMETHING.test(first);
      if (isFound) break;
      first = '';
    }
  }
  async function* all(): AsyncGenerator<string> {
    yield* read;
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      yield next.value;
  }
  return { first: HOLDS_SOMETHING.test(first) ? first : '', all: all() };
}

const HOLDS_SOMETHING = /[^\s,;|]/;

/** Half of Europe's spreadsheets write semicolons. */
function guessDelimiter(line: string): string {
  const bare = line.replace(/"[^"]*"/g, '');
  const counts = [',', ';', '\t', '|'].map((sign) => ({ sign, n: bare.split(sign).length }));
  return counts.toSorted((a, b) => b.n - a.n)[0]?.sign ?? ',';
}
