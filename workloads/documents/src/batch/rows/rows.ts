import { MOST_VALUES, jsonSize } from '@millrace/workload-kit';
import { readCsvRows } from './csv-thread.ts';
import { DocumentError } from '../../errors.ts';
import { DEEPEST } from '../../one/canonical.ts';
import { elementsOf, refused } from './json-array.ts';
import { ROW_LIMITS, ROW_TOO_LONG, type Row, type TableLine } from './row.ts';
import { codePageOf, decoded } from './text.ts';
import { MARKS, type Reading, openTable } from './table.ts';
import { readSheetRows } from './xlsx/thread.ts';

export type RowFormat = 'json' | 'jsonl' | 'csv' | 'xlsx';

/** Rows that are there already, or bytes in one of the formats. */
export type RowSource =
  | { readonly rows: Iterable<unknown> | AsyncIterable<unknown> }
  | (Reading & {
      readonly format: RowFormat;
      readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
      /** Of CSV. Left out: the one that the first line has most of. */
      readonly delimiter?: ',' | ';' | '\t' | '|' | undefined;
      /** Of XLSX. Left out: the first one. */
      readonly sheet?: string | undefined;
      /** Whose upload it is: nobody's may take all threads that read. */
      readonly by?: string | undefined;
    });

/** Rows that can be read one after the other, and what is known about them before the first. */
export interface OpenRows {
  /** What names the fields; null for JSON, where each row names its own. */
  readonly columns: readonly string[] | null;
  readonly rows: AsyncIterable<Row>;
  /** Complete when the rows are over. */
  facts(): RowFacts;
  /** For whoever does not read to the end. */
  close(): Promise<void>;
}

export interface RowFacts {
  readonly format: RowFormat | 'rows';
  readonly columns?: readonly string[];
  readonly delimiter?: string;
  readonly sheet?: string;
  readonly encoding?: string;
  /** Blank rows, which were skipped. */
  readonly blank: number;
}

/** `locale` says in which code page a CSV may be that is not UTF-8. */
export async function openRows(source: RowSource, locale = 'en-US'): Promise<OpenRows> {
  if ('rows' in source) return plain('rows', fromValues(source.rows));
  const { format } = source;
  const chunks = source.bytes instanceof Uint8Array ? [source.bytes] : source.bytes;
  if (format === 'xlsx') return openSheet(await gathered(chunks), source);
  if (format === 'csv') return openCsv(chunks, { ...source, codePage: codePageOf(locale) });
  const { texts } = await decoded(chunks, null);
  return plain(format, format === 'json' ? readJson(texts) : readJsonLines(texts));
}

function plain(format: 'rows' | 'json' | 'jsonl', rows: AsyncIterable<Row>): OpenRows {
  return { columns: null, rows, facts: () => ({ format, blank: 0 }), close: async () => {} };
}

async function openCsv(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  source: Reading & {
    readonly delimiter?: string | undefined;
    readonly codePage: string;
    readonly by?: string | undefined;
  },
): Promise<OpenRows> {
  let delimiter = ',';
  let encoding = 'utf-8';
  async function* lines(): AsyncGenerator<TableLine> {
    for await (const answer of readCsvRows(chunks, source))
      if (answer.type === 'delimiter') delimiter = answer.delimiter;
      else if (answer.type === 'encoding') encoding = answer.encoding;
      else if (answer.type === 'rows') yield* answer.rows;
  }
  const table = await openTable(lines(), source);
  const { columns, blank } = table;
  return {
    ...table,
    facts: () => ({ format: 'csv', columns, delimiter, encoding, blank: blank() }),
  };
}

async function openSheet(
  bytes: Uint8Array,
  {
    sheet: asked,
    by,
    ...reading
  }: Reading & { sheet?: string | undefined; by?: string | undefined },
): Promise<OpenRows> {
  let sheet = '';
  async function* lines(): AsyncGenerator<TableLine> {
    for await (const answer of readSheetRows(bytes, { sheet: asked, by }))
      if (answer.type === 'sheet') sheet = answer.name;
      else if (answer.type === 'rows') yield* answer.rows;
  }
  const table = await openTable(lines(), reading);
  const { columns, blank } = table;
  return { ...table, facts: () => ({ format: 'xlsx', columns, sheet, blank: blank() }) };
}

/** A ZIP has its directory at its end: it is read as a whole. 100,000 rows of 20 columns are about 10 MB. */
const LARGEST_XLSX = 50_000_000;
export function xlsxTooLarge(): DocumentError {
  return new DocumentError(
    'invalid_rows',
    `An XLSX has at most ${LARGEST_XLSX / 1_000_000} MB. Save the sheet as CSV.`,
  );
}

const ZIP = Buffer.from('PK\u0003\u0004');

async function gathered(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length > LARGEST_XLSX) throw xlsxTooLarge();
  }
  const bytes = Buffer.concat(parts);
  if (bytes.subarray(0, 4).equals(ZIP)) return bytes;
  // Says what it is, if it can; a CSV that is called .xlsx is none.
  await decoded([bytes], 'windows-1252');
  throw new DocumentError('invalid_rows', 'The file is no XLSX, though it is sent as one.');
}

async function* fromValues(
  values: Iterable<unknown> | AsyncIterable<unknown>,
): AsyncGenerator<Row> {
  let line = 0;
  for await (const value of values) {
    line += 1;
    yield rowOf(value, line);
  }
}

export function rowOf(value: unknown, line: number): Row {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { line, error: 'The row is no object, such as {"Name": "Ann"}.' };
  const { [MARKS.line]: corrects, [MARKS.error]: _, ...data } = value as Record<string, unknown>;
  const marks = { line, ...(typeof corrects === 'number' && { corrects }) };
  return isDeeperThan(DEEPEST, data) ? { ...marks, error: ROW_TOO_DEEP } : { ...marks, data };
}

const ROW_TOO_DEEP = `The row is nested more than ${DEEPEST} levels deep.`;
const ROW_TOO_FULL = `The row has more than ${MOST_VALUES / 1_000} thousand values.`;

/** JSON.parse reads what is nested as deep as it likes; JSON.stringify ends the stack at some thousand levels. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (levels === 0) return true;
  return Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

async function* readJson(texts: AsyncIterable<string>): AsyncGenerator<Row> {
  let line = 0;
  for await (const text of elementsOf(texts, ROW_LIMITS.rowBytes)) {
    line += 1;
    const row = parsedRow(text, line);
    // What follows a broken element may be anything: nobody knows where it ends.
    if ('broken' in row) throw refused(`The rows are not JSON, from row ${line} on: ${row.broken}`);
    yield row;
  }
}

async function* readJsonLines(texts: AsyncIterable<string>): AsyncGenerator<Row> {
  for await (const { line, text } of linesOf(texts)) {
    if (text?.trim() === '') continue;
    const row = parsedRow(text, line);
    yield 'broken' in row ? { line, error: `The line is not JSON: ${row.broken}` } : row;
  }
}

/** Null: too long to keep. Looked at before it is parsed, since objects take fifty times their text. */
function parsedRow(text: string | null, line: number): Row | { readonly broken: string } {
  if (text === null) return { line, error: ROW_TOO_LONG };
  const { depth, values } = jsonSize(text);
  if (values > MOST_VALUES) return { line, error: ROW_TOO_FULL };
  if (depth > DEEPEST) return { line, error: ROW_TOO_DEEP };
  try {
    return rowOf(JSON.parse(text), line);
  } catch (error) {
    return { broken: error instanceof Error ? error.message : String(error) };
  }
}

/** `text` is null for a line too long to keep. */
async function* linesOf(
  texts: AsyncIterable<string>,
): AsyncGenerator<{ line: number; text: string | null }> {
  let line = 1;
  let kept = '';
  let bytes = 0;
  let isTooLong = false;
  for await (const part of texts) {
    const pieces = part.split('\n');
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        yield { line, text: isTooLong ? null : kept };
        line += 1;
        kept = '';
        bytes = 0;
        isTooLong = false;
      }
      bytes += Buffer.byteLength(piece);
      if (bytes > ROW_LIMITS.rowBytes) {
        isTooLong = true;
        kept = '';
      } else kept += piece;
    }
  }
  if (kept !== '' || isTooLong) yield { line, text: isTooLong ? null : kept };
}
