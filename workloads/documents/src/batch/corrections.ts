import type { FieldUse } from '@millrace/docx';
import { type Database, type Session, type Statement, numbers } from '@millrace/store-postgres';
import { csvRecord } from '@millrace/workload-kit/contract';
import type { BatchRecord } from './records.ts';
import { DocumentError } from '../errors.ts';
import { correctItems } from './item-load.ts';
import { cellTexts, keepTypes } from '../files/kept-types.ts';
import { checkHeader, localeOf } from './load.ts';
import type { Cell, Row } from './rows/row.ts';
import { type RowSource, openRows } from './rows/rows.ts';
import { MARKS, fieldsOf } from './rows/table.ts';
import { follow } from '../one/names.ts';

/**
 * The failed rows of a batch as a file to correct and send again. A spreadsheet comes back as CSV with its own columns
 * behind two more, which say the line and the error; JSON comes back as JSON Lines.
 */
export interface FailedRows {
  readonly name: string;
  readonly mediaType: 'text/csv' | 'application/x-ndjson';
  read(): AsyncIterable<Uint8Array>;
}

// A page ends after so many bytes, too: a row may have 10 MB. The length of a text is known without reading it.
// $1 batch $2 after $3 limit $4 bytes
const FAILED: Statement = {
  name: 'documents_failed_rows',
  text: `
SELECT item, line, data, cells, error_message
  FROM (SELECT item, line, data, cells, error_message,
               sum(coalesce(octet_length(data), 0) + coalesce(octet_length(cells), 0))
                 OVER (ORDER BY item ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
          FROM millrace.document_items
         WHERE batch = $1 AND state = 'FAILED' AND item > $2 ORDER BY item LIMIT $3) i
 WHERE coalesce(before, 0) < $4::bigint ORDER BY item`,
};

type FailedRow = {
  item: number;
  line: number;
  data: string | null;
  cells: string | null;
  error_message: string | null;
};

// What the rows to be corrected hold; locked, since the new rows are made from it. $1 batch $2 line[]
const HELD: Statement = {
  name: 'documents_held_rows',
  text: `
SELECT line, data, cells FROM millrace.document_items
 WHERE batch = $1 AND state = 'FAILED' AND line = ANY ($2::text::int[]) FOR UPDATE`,
};

// Their sizes, before they are read: together they may be too much. $1 batch $2 line[]
const HELD_SIZES: Statement = {
  name: 'documents_held_sizes',
  text: `
SELECT line, coalesce(octet_length(data), 0) + coalesce(octet_length(cells), 0) AS bytes FROM millrace.document_items
 WHERE batch = $1 AND state = 'FAILED' AND line = ANY ($2::text::int[])`,
};

const AT_ONCE = 200;
const BYTES_AT_ONCE = 10_000_000;
/** Spreadsheet programs take a CSV for UTF-8 only with its mark. */
const MARK = '\ufeff';

export function failedRows(database: Database, batch: BatchRecord): FailedRows {
  const columns = batch.source?.columns ?? null;
  const write = columns === null ? jsonLine : csvLine(batch, columns);
  async function* read(): AsyncGenerator<Uint8Array> {
    if (columns !== null) yield Buffer.from(csvHeader(batch, columns));
    for (let after = 0; ;) {
      const rows = await database.query<FailedRow>(FAILED, [
        batch.seq,
        after,
        AT_ONCE,
        BYTES_AT_ONCE,
      ]);
      if (rows.length === 0) return;
      yield Buffer.from(rows.map(write).join(''));
      after = rows.at(-1)?.item ?? after;
    }
  }
  return columns === null
    ? { name: `${batch.id}-failed.jsonl`, mediaType: 'application/x-ndjson', read }
    : { name: `${batch.id}-failed.csv`, mediaType: 'text/csv', read };
}

function jsonLine({ line, error_message: error, data }: FailedRow): string {
  const row = data === null ? {} : (JSON.parse(data) as object);
  return `${JSON.stringify({ [MARKS.line]: line, [MARKS.error]: error, ...row })}\n`;
}

/**
 * The two columns for line and error come first: a row with more cells than its header would push them away at its
 * end.
 */
function csvHeader(batch: BatchRecord, columns: readonly string[]): string {
  const cells = [MARKS.line, MARKS.error, ...own(columns).map(({ name }) => name)];
  return `${MARK}${csvRecord(cells, delimiterOf(batch))}\r\n`;
}

/** Without the marks of a file that was itself one of failed rows. */
function own(columns: readonly string[]): { name: string; index: number }[] {
  const marks: readonly string[] = Object.values(MARKS);
  return columns
    .map((name, index) => ({ name, index }))
    .filter(({ name }) => !marks.includes(name));
}

function csvLine(batch: BatchRecord, columns: readonly string[]): (row: FailedRow) => string {
  const delimiter = delimiterOf(batch);
  const { shown } = cellTexts(localeOf(batch.settings));
  const fields = new Map(fieldsOf(columns).map(({ index, path }) => [index, path]));
  return ({ line, data, cells, error_message: error }) => {
    const given = cells === null ? null : (JSON.parse(cells) as Cell[]);
    const row: unknown = data === null ? {} : JSON.parse(data);
    const kept = own(columns).map(({ index }) =>
      given === null ? follow(row, fields.get(index) ?? []) : given[index],
    );
    const more = given?.slice(columns.length) ?? [];
    const texts = [...kept, ...more].map(shown);
    return `${csvRecord([String(line), error ?? '', ...texts], delimiter)}\r\n`;
  };
}

/**
 * The delimiter of the file; for an XLSX a semicolon where numbers have a decimal comma, as spreadsheet programs
 * write it.
 */
function delimiterOf({ source, settings }: BatchRecord): string {
  if (source?.delimiter !== undefined) return source.delimiter;
  const locale = localeOf(settings);
  return new Intl.NumberFormat(locale).format(1.5).includes('.') ? ',' : ';';
}

/**
 * The largest corrected file. It is held in memory while it is read, so that no transaction waits for a slow line.
 */
const MOST_BYTES = 100_000_000;

type Correction = Row & { readonly corrects: number };

/** The rows of a corrected file. Each says which line of the batch it is. */
export async function readCorrections(
  source: RowSource,
  { settings, source: from }: BatchRecord,
  fields: readonly FieldUse[],
): Promise<Correction[]> {
  const opened = await openRows(source, localeOf(settings));
  try {
    checkHeader(opened, { settings, fields, subject: from?.subject });
    checkComplete(opened.columns, from?.columns ?? []);
    const rows: Correction[] = [];
    const lines = new Set<number>();
    let bytes = 0;
    for await (const row of opened.rows) {
      const { corrects } = row;
      if (corrects === undefined) throw unnumbered(row.line);
      if (lines.has(corrects))
        throw new DocumentError('invalid_rows', `Line ${corrects} is corrected twice.`);
      lines.add(corrects);
      bytes += JSON.stringify(row).length;
      if (bytes > MOST_BYTES)
        throw new DocumentError(
          'too_many_rows',
          'These are too many corrections for one file. Split it.',
        );
      rows.push({ ...row, corrects });
    }
    return rows;
  } finally {
    await opened.close();
  }
}

/**
 * Refuses a corrected file that lacks columns: a row is replaced as a whole, so the values of a missing column would
 * be lost.
 */
function checkComplete(given: readonly string[] | null, columns: readonly string[]): void {
  if (given === null) return;
  const lost = own(columns).flatMap(({ name }) =>
    name === '' || given.includes(name) ? [] : [`"${name}"`],
  );
  if (lost.length === 0) return;
  throw new DocumentError(
    'missing_columns',
    `The file lacks ${lost.length === 1 ? 'the column' : 'the columns'} ${lost.slice(0, MOST_NAMED).join(', ')} of the batch, whose values would be lost. Take the file of failed rows, and leave its columns as they are.`,
  );
}

const MOST_NAMED = 10;

function unnumbered(line: number): DocumentError {
  return new DocumentError(
    'invalid_rows',
    `Line ${line} does not say in "${MARKS.line}" which row it corrects. Take the file of failed rows, and leave that column as it is.`,
  );
}

/** Within the transaction that begins the new run. */
export async function applyCorrections(
  session: Session,
  { id, seq, run, source, settings }: BatchRecord,
  rows: readonly Correction[],
): Promise<number> {
  const readable = rows.filter((row) => 'data' in row).length;
  const [first] = rows;
  if (readable === 0)
    throw new DocumentError(
      'invalid_rows',
      first === undefined || !('error' in first)
        ? 'There are no rows.'
        : `No row can be read. Line ${first.line}: ${first.error}`,
    );
  const kept = keepTypes({
    columns: source?.columns ?? [],
    texts: cellTexts(localeOf(settings)),
    isTyped: source?.format === 'xlsx',
  });
  for await (const given of bySize(session, seq, rows)) {
    const lines = numbers(given.map(({ corrects }) => corrects));
    const held = new Map(
      (await session.query<Pick<FailedRow, 'line' | 'data' | 'cells'>>(HELD, [seq, lines])).map(
        (row) => [row.line, row],
      ),
    );
    const some = given.map((row) => {
      const before = held.get(row.corrects);
      return before === undefined || 'error' in row
        ? row
        : { ...row, data: kept(before, row.data) };
    });
    const found = await correctItems(session, { batch: seq, run }, some, {
      subject: source?.subject,
    });
    const other = some.find(({ corrects }) => !found.has(corrects));
    if (other !== undefined)
      throw new DocumentError(
        'invalid_rows',
        `Line ${other.corrects} is no failed row of ${id}. Fetch the file of failed rows again.`,
      );
  }
  return readable;
}

/** As many corrections at once as what they replace has room in memory for. */
async function* bySize(
  session: Session,
  batch: number,
  rows: readonly Correction[],
): AsyncGenerator<Correction[]> {
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const page = rows.slice(at, at + AT_ONCE);
    const lines = numbers(page.map(({ corrects }) => corrects));
    const found = await session.query<{ line: number; bytes: number }>(HELD_SIZES, [batch, lines]);
    const sizes = new Map(found.map(({ line, bytes }) => [line, bytes]));
    let together: Correction[] = [];
    let bytes = 0;
    for (const row of page) {
      together.push(row);
      bytes += sizes.get(row.corrects) ?? 0;
      if (bytes < BYTES_AT_ONCE) continue;
      yield together;
      together = [];
      bytes = 0;
    }
    if (together.length > 0) yield together;
  }
}
