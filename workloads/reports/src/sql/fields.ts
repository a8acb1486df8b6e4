import type { Column, ColumnType, TableFormat } from '@millrace/tables';
import { identifier, literal } from './quote.ts';
import type { ReportShape, ShapeColumn } from './shape.ts';
import type { Family } from './types.ts';

/** A column of the file: what is selected for it, and what it is. */
export interface FileField {
  readonly name: string;
  readonly sql: string;
  readonly column: Column;
  /** Cast to the type of the column, its text is the value again: a key can be read from it. */
  readonly isExact: boolean;
}

type Expression = Pick<FileField, 'sql' | 'isExact'> &
  Pick<Column, 'type' | 'scale' | 'isJson' | 'moment'>;

interface Target {
  readonly format: TableFormat;
  readonly timeZone: string;
}

/** The columns of the file. Labels are for people, and so for CSV and XLSX; programs read JSON Lines and Parquet by name. */
export function fileFields(
  { columns, timeZone }: Pick<ReportShape, 'columns' | 'timeZone'>,
  format: TableFormat,
): FileField[] {
  const isForPeople = format === 'csv' || format === 'xlsx';
  return columns
    .filter(({ hidden }) => !hidden)
    .map((column) => {
      const { sql, isExact, ...expression } = expressionOf(column, { format, timeZone });
      const name = isForPeople ? column.label : column.name;
      const shown = {
        name,
        ...expression,
        // Other formats have no formulas.
        ...(format === 'csv' && !column.type.isFreeText && { isGuarded: false as const }),
      };
      return { name: column.name, sql, isExact, column: shown };
    });
}

/**
 * Only what Postgres would write otherwise is cast: a column as it is costs it least. A column of text stays as it is whatever its
 * format says, and `tables` reads it as that: a cast would fail for one odd value after a million rows.
 */
function expressionOf(column: ShapeColumn, target: Target): Expression {
  const { format, type } = column;
  const name = identifier(column.name);
  const { family } = type;
  if (format === null || format.as === 'text') {
    if (format?.as === 'text') return { sql: asText(name, family), isExact: true, type: 'text' };
    return plain(column, target);
  }
  if (family === 'text' || family === 'other') {
    return { sql: name, isExact: true, type: TYPES[format.as] };
  }
  switch (format.as) {
    case 'whole number':
      if (family === 'whole') return plain(column, target);
      return { sql: `round(${asNumeric(name, family)})`, isExact: false, type: 'number' };
    case 'decimal': {
      const { places } = format;
      if (type.digits?.scale === places) return plain(column, target);
      const sql = `round(${asNumeric(name, family)}, ${places})`;
      return { sql, isExact: false, type: 'decimal', scale: places };
    }
    case 'date':
      if (family === 'date') return plain(column, target);
      return {
        sql: `(${local(name, family, target)})::date`,
        isExact: false,
        type: 'date',
        ...inParquet('day', target),
      };
    case 'date and time': {
      const sql = `date_trunc('second', (${local(name, family, target)})::timestamp)`;
      return { sql: asIso(sql, target), isExact: false, type: 'date' };
    }
    case 'boolean':
      if (family === 'boolean') return plain(column, target);
      return { sql: name, isExact: true, type: 'boolean' };
  }
}

const TYPES: Readonly<
  Record<Exclude<NonNullable<ShapeColumn['format']>['as'], 'text'>, ColumnType>
> = {
  'whole number': 'number',
  decimal: 'decimal',
  date: 'date',
  'date and time': 'date',
  boolean: 'boolean',
};

/** 128 bits, as `tables` writes them. */
const PARQUET_DIGITS = 38;

/** As the type of the column says. */
function plain({ name: given, type }: ShapeColumn, target: Target): Expression {
  const name = identifier(given);
  switch (type.family) {
    case 'whole':
      return { sql: name, isExact: true, type: 'number' };
    case 'decimal': {
      const scale = type.digits === null ? null : Math.max(type.digits.scale, 0);
      // A decimal of Parquet has a fixed place for its point. A sum or an average has none: it is a double, so that programs can go on with it.
      const fits = type.digits !== null && type.digits.precision <= PARQUET_DIGITS;
      if (target.format === 'parquet' && !fits) return { sql: name, isExact: true, type: 'double' };
      return { sql: name, isExact: true, type: 'decimal', ...(scale !== null && { scale }) };
    }
    case 'double':
      return { sql: name, isExact: true, type: 'double' };
    case 'boolean':
      // COPY writes t and f, and files have true and false: a CSV that Postgres writes needs no change then.
      return {
        sql: target.format === 'csv' ? `${name}::text` : name,
        isExact: true,
        type: 'boolean',
      };
    case 'date':
      return { sql: name, isExact: true, type: 'date', ...inParquet('day', target) };
    case 'timestamp':
      return { sql: asIso(name, target), isExact: true, type: 'date' };
    case 'timestamptz': {
      // A cell has no offset: it shows the time of the report's zone. The others have the offset, of UTC.
      const isLocal = target.format === 'xlsx' && target.timeZone !== 'UTC';
      const sql = isLocal ? local(name, 'timestamptz', target) : name;
      const column = { type: 'date', ...inParquet('instant', target) } as const;
      return { sql: asIso(sql, target), isExact: !isLocal, ...column };
    }
    case 'text':
    case 'other': {
      const isJson = target.format === 'jsonl' && /^jsonb?$/.test(type.cast);
      return { sql: name, isExact: true, type: 'text', ...(isJson && { isJson }) };
    }
  }
}

function inParquet(
  moment: NonNullable<Column['moment']>,
  { format }: Target,
): Pick<Column, 'moment'> {
  return format === 'parquet' ? { moment } : {};
}

function asText(name: string, family: Family): string {
  return family === 'text' ? name : `${name}::text`;
}

/** Not of a decimal: rounding needs no cast there. */
function asNumeric(name: string, family: Family): string {
  return family === 'decimal' ? name : `${name}::numeric`;
}

function local(name: string, family: Family, { timeZone }: Target): string {
  return family === 'timestamptz' ? `${name} AT TIME ZONE ${literal(timeZone)}` : name;
}

/** JSON Lines have a T between day and time and minutes in the offset, as ISO 8601 and most readers want them. */
function asIso(sql: string, { format }: Target): string {
  return format === 'jsonl' ? `to_json(${sql}) #>> '{}'` : sql;
}
