import { checkColumns, type Column, type Notes, type Writer } from './columns.ts';
import { compressed, type Compression } from './compress.ts';
import { createCsv, type CsvOptions } from './csv.ts';
import type { Sums } from './deflate.ts';
import { TableError } from './errors.ts';
import { TABLE_FORMATS, type TableFormat } from './formats.ts';
import { createJsonLines } from './jsonl.ts';
import { createParquet, type ParquetState } from './parquet/parquet.ts';
import { createXlsx, type XlsxOptions, type XlsxState } from './xlsx/workbook.ts';

export interface TableOptions {
  readonly format: TableFormat;
  readonly columns: readonly Column[];
  /** The compression of CSV and JSON Lines; the other two compress by themselves. */
  readonly compression?: Compression | null;
  readonly csv?: CsvOptions;
  readonly xlsx?: XlsxOptions;
}

/** The state of a format between two chunks; empty for plain CSV and JSON Lines. */
export interface FormatState {
  readonly gzip?: Sums;
  readonly xlsx?: XlsxState;
  readonly parquet?: ParquetState;
}

export function openWriter(
  options: TableOptions,
  notes: Notes,
  from: FormatState,
): Writer<FormatState> {
  const { format, columns, compression = null } = options;
  checkColumns(columns);
  switch (format) {
    case 'csv':
      return packedLines(createCsv(columns, options.csv ?? {}, notes), compression, from);
    case 'jsonl':
      return packedLines(createJsonLines(columns, notes), compression, from);
    case 'xlsx': {
      refuseCompression(format, compression);
      const writer = createXlsx(columns, options.xlsx ?? {}, notes, from.xlsx ?? null);
      return { ...writer, state: () => ({ xlsx: writer.state() }) };
    }
    case 'parquet': {
      refuseCompression(format, compression);
      const writer = createParquet(columns, notes, from.parquet ?? null);
      return { ...writer, state: () => ({ parquet: writer.state() }) };
    }
    default:
      throw unknownFormat(format);
  }
}

export function unknownFormat(format: never): TableError {
  return new TableError(
    'bad_option',
    `There is no format "${String(format)}"; there are ${TABLE_FORMATS.join(', ')}.`,
  );
}

export function packedLines<Batch>(
  plain: Writer<null, Batch>,
  compression: Compression | null,
  from: FormatState,
): Writer<FormatState, Batch> {
  if (compression === null) return { ...plain, state: () => ({}) };
  const writer = compressed(plain, compression, from.gzip ?? null);
  return {
    ...writer,
    state: () => {
      const gzip = writer.state();
      return gzip === null ? {} : { gzip };
    },
  };
}

export function refuseCompression(format: TableFormat, compression: Compression | null): void {
  if (compression === null) return;
  throw new TableError(
    'bad_option',
    `A file of the format ${format} is compressed already: leave "compression" out.`,
  );
}
