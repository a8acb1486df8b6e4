import type { SourceColumn } from '@millrace/sql-source';
import type { Column, ColumnType } from '@millrace/tables';
import type { ColumnFormat, Report } from '../catalogue/types.ts';
import { quoted } from './names.ts';

/** A column of the file: what the source selects for it, and what it is. */
export interface WrittenColumn {
  /** Of the report's SQL. */
  readonly name: string;
  readonly sql: string;
  /** Whether the source writes it as it is, so that a key can be read from it. */
  readonly isRaw: boolean;
  readonly column: Column;
}

/** By the beginning of the type's name, as Postgres writes it. Whatever else there is becomes text. */
const TYPES: readonly (readonly [RegExp, ColumnType])[] = [
  [/^(smallint|integer|bigint|oid)$/, 'number'],
  [/^(numeric|real|double precision)/, 'decimal'],
  [/^boolean$/, 'boolean'],
  [/^(date|timestamp)/, 'date'],
];

/** In the order of the SQL, without those that the file hides. */
export function writtenColumns(
  report: Pick<Report, 'columns'>,
  given: readonly SourceColumn[],
): WrittenColumn[] {
  const said = new Map(report.columns.map((column) => [column.name, column]));
  return given.flatMap((column) => {
    const { label = null, format = null, hidden = false } = said.get(column.name) ?? {};
    if (hidden) return [];
    const { sql, isRaw, ...shape } = shapeOf(column, format);
    return [{ name: column.name, sql, isRaw, column: { name: label ?? column.name, ...shape } }];
  });
}

function shapeOf(
  { name, type }: SourceColumn,
  format: ColumnFormat | null,
): { readonly sql: string; readonly isRaw: boolean; readonly type: ColumnType; scale?: number } {
  const column = quoted(name);
  switch (format?.as) {
    case undefined: {
      const known = TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? 'text';
      const scale = /^numeric\(\d+,(\d+)\)$/.exec(type)?.[1];
      return {
        sql: column,
        isRaw: true,
        type: known,
        ...(scale !== undefined && { scale: Number(scale) }),
      };
    }
    case 'text':
      return { sql: `${column}::text`, isRaw: false, type: 'text' };
    case 'whole number':
      return { sql: `round(${column}::numeric)`, isRaw: false, type: 'number' };
    case 'decimal': {
      const { places } = format;
      return {
        sql: `round(${column}::numeric, ${places})`,
        isRaw: false,
        type: 'decimal',
        scale: places,
      };
    }
    case 'date':
      return { sql: `${column}::date`, isRaw: false, type: 'date' };
    case 'date and time':
      return { sql: `${column}::timestamp(0)`, isRaw: false, type: 'date' };
    case 'boolean':
      return { sql: `${column}::boolean`, isRaw: false, type: 'boolean' };
    default: {
      const unknown: never = format;
      throw new Error(`There is no format ${JSON.stringify(unknown)}.`);
    }
  }
}
