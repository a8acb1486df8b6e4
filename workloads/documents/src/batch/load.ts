import { type FieldUse, canonicalLocale } from '@millrace/docx';
import type { Database } from '@millrace/store-postgres';
import type { BatchSettings } from '../contract/envelope.ts';
import { checkColumns, fieldsWithoutColumn } from './columns.ts';
import { DocumentError } from '../errors.ts';
import { addItems } from './item-load.ts';
import type { BatchSource } from './records.ts';
import type { Row } from './rows/row.ts';
import { type OpenRows, type RowSource, openRows } from './rows/rows.ts';

export interface LoadParams {
  readonly database: Database;
  readonly batch: number;
  readonly settings: BatchSettings;
  readonly fields: readonly FieldUse[];
  readonly source: RowSource;
  readonly subject: string | undefined;
  readonly maxRows: number;
}

const ROWS_AT_ONCE = 500;
const BYTES_AT_ONCE = 1_000_000;

/** Stores the rows as they come. A preview reads on to the end, and so tells what is wrong with the file as a whole. */
export async function loadRows(
  params: LoadParams,
): Promise<{ total: number; source: BatchSource }> {
  const { database, batch, settings, subject, maxRows } = params;
  const opened = await openRows(params.source, localeOf(settings));
  try {
    checkHeader(opened, params);
    const most = settings.preview ?? Infinity;
    let total = 0;
    let read = 0;
    for await (const rows of gathered(opened.rows)) {
      read += rows.length;
      if (read > maxRows)
        throw new DocumentError(
          'too_many_rows',
          `A batch has at most ${maxRows} rows. Split it into several.`,
        );
      const wanted = rows.slice(0, most - total);
      if (wanted.length === 0) continue;
      await addItems(database, batch, total + 1, wanted, { subject });
      total += wanted.length;
    }
    if (total === 0) throw new DocumentError('invalid_rows', 'There are no rows.');
    const left = opened.columns === null ? {} : leftEmpty(opened.columns, params);
    const of = subject === undefined ? {} : { subject };
    return { total, source: { ...opened.facts(), rows: read, ...of, ...left } };
  } finally {
    await opened.close();
  }
}

/** How the numbers and dates of a spreadsheet are written. */
export function localeOf({ locale, options }: BatchSettings): string {
  return canonicalLocale(options.dataLocale ?? locale) ?? 'en-US';
}

export function checkHeader(
  { columns, facts }: Pick<OpenRows, 'columns' | 'facts'>,
  { settings, fields, subject }: Pick<LoadParams, 'settings' | 'fields' | 'subject'>,
): void {
  if (columns === null || settings.allowMissing) return;
  const patterns = { 'name of the documents': settings.outputFileName, subject };
  checkColumns({ columns, fields, patterns, sheet: facts().sheet });
}

/** What is left empty in every document, since the batch was allowed to do without. */
export function leftEmpty(
  columns: readonly string[],
  { settings, fields }: Pick<LoadParams, 'settings' | 'fields'>,
): Pick<BatchSource, 'left'> {
  return settings.allowMissing ? { left: fieldsWithoutColumn(columns, fields) } : {};
}

/** As many rows as are stored or checked at once, by number and by bytes: also those that cannot be read have cells. */
export async function* gathered(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let together: Row[] = [];
  let bytes = 0;
  for await (const row of rows) {
    together.push(row);
    bytes += JSON.stringify('data' in row ? row.data : [row.cells, row.placed]).length;
    if (together.length < ROWS_AT_ONCE && bytes < BYTES_AT_ONCE) continue;
    yield together;
    together = [];
    bytes = 0;
  }
  if (together.length > 0) yield together;
}
