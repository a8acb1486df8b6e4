import { parse } from 'csv-parse';
import { Readable } from 'node:stream';
import { DocumentError } from './errors.ts';
import { ROW_LIMITS, type Row } from './row.ts';

/**
 * The first row names the fields; dots in a name make objects: `Account.Name`. Every value is a text. Lines are
 * those of the file, so that a cell with line breaks does not shift the numbers.
 */
export async function* readCsv(
  texts: AsyncIterable<string>,
  delimiter: string | undefined,
): AsyncGenerator<Row> {
  const { first, all } = await peek(plainBreaks(texts));
  const parser = parse({
    bom: true,
    delimiter: delimiter ?? guessDelimiter(first),
    info: true,
    relax_column_count: true,
    // A quote where none should be is kept as it is: the parser would not find back to the rows after it.
    relax_quotes: true,
    record_delimiter: '\n',
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: RECORD_BYTES,
  });
  let isCutOff = false;
  parser.on('skip', () => (isCutOff = true));
  const source = Readable.from(all);
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    const last = yield* rowsOf(parser);
    if (isCutOff && last === 0) throw badHeader('has a quote that is not closed');
    if (isCutOff) yield { line: last + 1, error: `${CUT_OFF} It begins after line ${last}.` };
  } finally {
    source.destroy();
    parser.destroy();
  }
}

/** Beyond this a quote that nobody closed is given up: what follows would be gathered into one cell. */
const RECORD_BYTES = 10 * ROW_LIMITS.rowBytes;
const CUT_OFF = 'A quote is not closed, so that what follows it could not be read.';

type Parsed = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

/** Gives the line of the last row in the end. */
async function* rowsOf(parser: AsyncIterable<unknown>): AsyncGenerator<Row, number> {
  let place: ((cells: readonly string[]) => Record<string, unknown>) | null = null;
  let count = 0;
  let last = 0;
  for await (const { record, info } of parser as AsyncIterable<Parsed>) {
    last = info.lines;
    const line = last - record.join('').split('\n').length + 1;
    if (place === null) {
      count = record.length;
      place = fieldsOf(record);
    } else if (record.length !== count)
      yield { line, error: `The row has ${record.length} cells, the first row ${count}.` };
    else yield { line, data: place(record) };
  }
  return last;
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

/** Enough of the beginning to see the first line. */
async function peek(
  texts: AsyncIterable<string>,
): Promise<{ first: string; all: AsyncIterable<string> }> {
  const rest = texts[Symbol.asyncIterator]();
  let first = '';
  let isOver = false;
  while (!first.includes('\n') && first.length < ROW_LIMITS.rowBytes && !isOver) {
    const next = await rest.next();
    if (next.done === true) isOver = true;
    else first += next.value;
  }
  async function* all(): AsyncGenerator<string> {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      yield next.value;
  }
  return { first: first.split('\n', 1)[0] ?? '', all: all() };
}

/** Half of Europe's spreadsheets write semicolons. */
function guessDelimiter(line: string): string {
  const bare = line.replace(/"[^"]*"/g, '');
  const counts = [',', ';', '\t', '|'].map((sign) => ({ sign, n: bare.split(sign).length }));
  return counts.toSorted((a, b) => b.n - a.n)[0]?.sign ?? ',';
}

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** Where the cells of a row go. Columns without a name are left out: spreadsheets write empty ones at the end. */
function fieldsOf(
  header: readonly string[],
): (cells: readonly string[]) => Record<string, unknown> {
  const fields = header.flatMap((name, index) =>
    name.trim() === '' ? [] : [{ index, path: name.trim().split('.') }],
  );
  if (fields.length === 0) throw badHeader('names no field');
  const taken = new Map<string, 'value' | 'object'>();
  for (const { path } of fields) {
    if (path.some((key) => key === '' || FORBIDDEN.has(key)))
      throw badHeader(`has a column "${path.join('.')}", which cannot be a field`);
    for (let depth = 1; depth <= path.length; depth++) {
      const key = path.slice(0, depth).join('.');
      const kind = depth === path.length ? 'value' : 'object';
      if (taken.has(key) && (kind === 'value' || taken.get(key) === 'value'))
        throw badHeader(`names "${key}" twice, or both as a field and as an object`);
      taken.set(key, kind);
    }
  }
  return (cells) => {
    const row: Record<string, unknown> = {};
    for (const { index, path } of fields) put(row, path, cells[index] ?? '');
    return row;
  };
}

function put(row: Record<string, unknown>, path: readonly string[], value: string): void {
  let at = row;
  for (const key of path.slice(0, -1)) {
    at[key] ??= {};
    at = at[key] as Record<string, unknown>;
  }
  at[path.at(-1) ?? ''] = value;
}

function badHeader(why: string): DocumentError {
  return new DocumentError(
    'invalid_rows',
    `The first row of the CSV ${why}. It must name the fields, each once.`,
  );
}
