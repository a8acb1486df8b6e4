import type { WrittenColumn } from './columns.ts';
import { AS_OF, KEY, bound, quoted } from './names.ts';

/** What is read of a report: the author's SELECT, and what we put around it. Constant texts: values are bound, never part of them. */
export interface ReportSelect {
  /** The author's, with its names bound. */
  readonly text: string;
  readonly key: readonly KeyColumn[];
  readonly columns: readonly WrittenColumn[];
  /** Keys that come first in each record and are not in the file, since no column of it has them as they are. */
  readonly hidden: readonly KeyColumn[];
  /** The row rules of whoever asks; null: all rows. */
  readonly where: string | null;
  /** A column of times; null: there is none. */
  readonly asOf: string | null;
}

export interface KeyColumn {
  readonly name: string;
  readonly type: string;
}

export function hiddenKeys(
  key: readonly KeyColumn[],
  columns: readonly WrittenColumn[],
): readonly KeyColumn[] {
  return key.filter(({ name }) => !columns.some((column) => column.isRaw && column.name === name));
}

/** Rows in the order of their key: all of them, or those after the bound one; at most so many. */
export function rowsText(
  select: ReportSelect,
  { after, limit }: { readonly after: boolean; readonly limit: number | null },
): string {
  const { key, columns, hidden } = select;
  const fields = [...hidden.map(({ name }) => quoted(name)), ...columns.map(({ sql }) => sql)];
  const order = key.map(({ name }) => quoted(name)).join(', ');
  const most = limit === null ? '' : ` LIMIT ${limit}`;
  return `SELECT ${fields.join(', ')} ${fromText(select, after ? [afterText(key)] : [])} ORDER BY ${order}${most}`;
}

/** Gives a row where a key has a NULL: rows with it come after all others, and no condition finds them again. */
export function nullKeyText(select: ReportSelect): string {
  const isNull = select.key.map(({ name }) => `${quoted(name)} IS NULL`).join(' OR ');
  return `SELECT 1 ${fromText(select, [`(${isNull})`])} LIMIT 1`;
}

/** Gives two rows where the bound key is that of several: the second would be left out after an interruption. */
export function sameKeyText(select: ReportSelect): string {
  const { key } = select;
  return `SELECT 1 ${fromText(select, [`(${names(key)}) = (${values(key)})`])} LIMIT 2`;
}

/** The newline ends a comment that the author's SQL may end with. */
function fromText({ text, where, asOf }: ReportSelect, conditions: readonly string[]): string {
  const all = [
    ...(where === null ? [] : [`(${where})`]),
    ...(asOf === null ? [] : [`${quoted(asOf)} <= ${bound(AS_OF, 'timestamptz')}`]),
    ...conditions,
  ];
  return `FROM (\n${text}\n) AS report${all.length === 0 ? '' : ` WHERE ${all.join(' AND ')}`}`;
}

/** A comparison of rows: an index on the key is used for it whole, where OR over its parts reads from the beginning. */
function afterText(key: readonly KeyColumn[]): string {
  return `(${names(key)}) > (${values(key)})`;
}

function names(key: readonly KeyColumn[]): string {
  return key.map(({ name }) => quoted(name)).join(', ');
}

/** Cast to the column's own type: compared with a numeric, an index on an integer is not used. */
function values(key: readonly KeyColumn[]): string {
  return key.map(({ type }, index) => bound(`${KEY}${index}`, type)).join(', ');
}

export function keyValues(key: readonly string[]): Record<string, string> {
  return Object.fromEntries(key.map((value, index) => [`${KEY}${index}`, value]));
}
