export { COMPRESSIONS, hasZstandard, type Compression } from './compress.ts';
export type { CsvOptions } from './csv.ts';
export { copyRecord, recordEnd, rowsOfCopy } from './copied/rows.ts';
export { type CopiedTableOptions, createCopiedTable } from './copied/table.ts';
export { TableError, type TableErrorCode } from './errors.ts';
export { fileTypeOf, TABLE_FORMATS, type FileType, type TableFormat } from './formats.ts';
export { tableStream } from './stream.ts';
export { createTable, type Table, type TableState } from './table.ts';
export {
  COLUMN_TYPES,
  type Column,
  type ColumnType,
  type CopiedRows,
  type Notes,
  type Row,
  type Value,
} from './columns.ts';
export type { TableOptions } from './writers.ts';
export type { XlsxOptions } from './xlsx/workbook.ts';
