import { gathered, openPieces, shapeOf, type Table, type TableState } from '../table.ts';
import { checkColumns, type CopiedRows, type Notes, type Row, type Writer } from '../columns.ts';
import { TableError } from '../errors.ts';
import { createParquet } from '../parquet/parquet.ts';
import {
  type FormatState,
  packedLines,
  refuseCompression,
  type TableOptions,
  unknownFormat,
} from '../writers.ts';
import { createCopiedCsv } from './csv.ts';
import { createCopiedJsonLines } from './jsonl.ts';
import { createOutput } from './output.ts';
import { openRecords, otherCount, otherWidth, type Records } from './records.ts';
import { rowsOfCopy } from './rows.ts';
import { createCopiedXlsx } from './xlsx.ts';

/**
 * A table whose rows come from Postgres as bytes, `COPY (SELECT …) TO STDOUT (FORMAT csv)`. Values, notes and states are those
 * of `createTable`, of whose bytes only XLSX's differ; no value is made into a string that does not have to be.
 */
export function createCopiedTable(
  options: CopiedTableOptions,
  from?: TableState,
): Table<CopiedRows> {
  const pieces = openPieces(
    {
      shape: shapeOf(options, ['copied', options.hidden ?? 0]),
      open: (notes, format) => openCopiedWriter(options, notes, format),
      count: ({ rows }: CopiedRows) => rows,
    },
    from,
  );
  return gathered(pieces);
}

export interface CopiedTableOptions extends TableOptions {
  /** Leading fields of each record that are not in the file. */
  readonly hidden?: number;
}

function openCopiedWriter(
  options: CopiedTableOptions,
  notes: Notes,
  from: FormatState,
): Writer<FormatState, CopiedRows> {
  const { format, columns, compression = null, hidden = 0 } = options;
  checkColumns(columns);
  if (!Number.isInteger(hidden) || hidden < 0) {
    throw new TableError('bad_option', `The number of hidden fields is ${hidden}.`);
  }
  const width = columns.length + hidden;
  const all = { columns, hidden, notes };
  switch (format) {
    case 'csv': {
      const writer = createCopiedCsv({ ...all, options: options.csv ?? {} });
      return scanned(packedLines(writer, compression, from), width);
    }
    case 'jsonl':
      return scanned(packedLines(createCopiedJsonLines(all), compression, from), width);
    case 'xlsx': {
      refuseCompression(format, compression);
      const xlsx = { ...all, options: options.xlsx ?? {}, from: from.xlsx ?? null };
      const writer = createCopiedXlsx(xlsx);
      return scanned({ ...writer, state: () => ({ xlsx: writer.state() }) }, width);
    }
    case 'parquet': {
      refuseCompression(format, compression);
      const writer = createParquet(columns, notes, from.parquet ?? null);
      return parsed({ ...writer, state: () => ({ parquet: writer.state() }) }, width, hidden);
    }
    default:
      throw unknownFormat(format);
  }
}

/** The writer reads the fields' bytes. */
function scanned(
  writer: Writer<FormatState, Records>,
  width: number,
): Writer<FormatState, CopiedRows> {
  const unquoted = createOutput(1024);
  return {
    ...writer,
    *write({ bytes, rows }) {
      const records = openRecords(bytes, width, unquoted);
      yield* writer.write(records);
      if (records.rows !== rows) throw otherCount(records.rows, rows);
    },
  };
}

/** The writer needs values. */
function parsed(
  writer: Writer<FormatState>,
  width: number,
  hidden: number,
): Writer<FormatState, CopiedRows> {
  return {
    ...writer,
    write({ bytes, rows }) {
      const all: Row[] = rowsOfCopy(bytes);
      if (all.length !== rows) throw otherCount(all.length, rows);
      const other = all.findIndex((row) => row.length !== width);
      if (other !== -1) throw otherWidth(other, width);
      return writer.write(hidden === 0 ? all : all.map((row) => row.slice(hidden)));
    },
  };
}
