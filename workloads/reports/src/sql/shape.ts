import type { SourceColumn } from '@millrace/sql-source';
import type { ColumnFormat, Report } from '../catalogue/types.ts';
import { type SqlType, sqlType } from './types.ts';

/** All that the statements of a report are made of. */
export interface ReportShape {
  /** The author's SELECT with its names bound (`bindNames`). */
  readonly sql: string;
  /** All that it gives, in its order. */
  readonly columns: readonly ShapeColumn[];
  /** In the order of the rows. */
  readonly key: readonly ShapeColumn[];
  /** A condition on what the SELECT gives: the row rules of the caller; null: all rows. */
  readonly where: string | null;
  /** Rows whose time in this column is after the bound `_as_of` are left out. */
  readonly asOf: ShapeColumn | null;
  readonly timeZone: string;
}

export interface ShapeColumn {
  readonly name: string;
  readonly label: string;
  readonly type: SqlType;
  readonly format: ColumnFormat | null;
  /** Not in the file. */
  readonly hidden: boolean;
  /** So its table says; an outer join around it can still make it NULL. */
  readonly notNull: boolean;
  /** Values that are equal are written alike (`SourceColumn.equalIsSame`). */
  readonly equalIsSame: boolean;
  /** A column of a table as it is (`SourceColumn.isOfTable`). */
  readonly isOfTable: boolean;
}

export type ShapeProblem = string;

interface ShapeParams {
  readonly report: Pick<Report, 'key' | 'columns' | 'asOf' | 'timeZone'>;
  readonly sql: string;
  /** What the source says that the SQL gives. */
  readonly given: readonly SourceColumn[];
  readonly where: string | null;
}

/** What is wrong is a list of sentences for whoever wrote the file. */
export function shapeOf(params: ShapeParams): ReportShape | { readonly problems: ShapeProblem[] } {
  const { report, sql, given, where } = params;
  const said = new Map(report.columns.map((column) => [column.name, column]));
  const columns = given.map(({ name, type, notNull, equalIsSame, isOfTable }): ShapeColumn => {
    const { label = null, format = null, hidden = false } = said.get(name) ?? {};
    const as = { label: label ?? name, type: sqlType(type), format, hidden };
    return { name, ...as, notNull, equalIsSame, isOfTable };
  });
  const byName = new Map(columns.map((column) => [column.name, column]));
  const missing = (name: string, what: string) =>
    `The SQL gives no column "${name}", ${what}. Add it to the SELECT, or correct the name.`;
  const problems: ShapeProblem[] = [
    ...repeated(columns.map(({ name }) => name)).map(
      (name) => `The SQL gives two columns "${name}". Give one of them another name with AS.`,
    ),
    ...repeated(columns.filter(({ hidden }) => !hidden).map(({ label }) => label)).map(
      (label) => `Two columns have the label "${label}". Give one of them another.`,
    ),
    ...report.key
      .filter((name) => !byName.has(name))
      .map((name) => missing(name, 'which is part of the key')),
    ...report.columns
      .filter(({ name }) => !byName.has(name))
      .map(({ name }) => missing(name, 'which `columns` speaks of')),
  ];
  const key = report.key.flatMap((name) => byName.get(name) ?? []);
  const asOf = report.asOf === null ? null : (byName.get(report.asOf) ?? null);
  if (report.asOf !== null && asOf === null) problems.push(missing(report.asOf, 'which is `asOf`'));
  if (asOf !== null && !TIMES.includes(asOf.type.family)) {
    problems.push(`The column "${asOf.name}", which is \`asOf\`, is no date or time.`);
  }
  if (report.key.length === 0) problems.push('The report names no key.');
  if (columns.every(({ hidden }) => hidden)) problems.push('All columns are hidden.');
  if (problems.length > 0) return { problems: [...new Set(problems)] };
  return { sql, columns, key, where, asOf, timeZone: report.timeZone };
}

const TIMES = ['date', 'timestamp', 'timestamptz'];

function repeated(names: readonly string[]): string[] {
  return names.filter((name, at) => names.indexOf(name) !== at);
}
