import type { Column, TableFormat } from '@millrace/tables';
import { fileFields } from './fields.ts';
import { identifier, setting } from './quote.ts';
import type { ReportShape, ShapeColumn } from './shape.ts';

/** Bound names. */
export const AS_OF = '_as_of';
export const CHUNK_ROWS = '_chunk_rows';
const KEY = '_key_';
const PROBE = '_probe';
/** What `groups` reads. */
export const PROBE_VALUE = { [PROBE]: '' };

/** The statements of a report: constant, whoever asks for whatever. What differs is bound (`Reading.set`). */
export interface ReportTexts {
  /** COPY these: a chunk of `_chunk_rows` rows from the start, one after the bound key, all rows, all after the key. */
  readonly firstChunk: string;
  readonly nextChunk: string;
  readonly all: string;
  readonly rest: string;
  /** All after the key, which is looked at when the rows are computed: `rest`, where the database would look at it before it groups. */
  readonly restOfGroups: string;
  /** EXPLAIN it, for `splitsGroups`; null where no harm is done: a condition on columns of tables takes a group whole or not at all. */
  readonly groups: string | null;
  /** A group may be written in another way when it is computed again: `Key1` and `KEY1` are one group of a citext. */
  readonly mayRewrite: boolean;
  /** Gives a row where a key has a NULL; null where none can have one. */
  readonly nullKeys: string | null;
  readonly count: string;
  /** EXPLAIN it: its `Plan Rows` are the rows that the planner expects. */
  readonly estimate: string;
  /** Of the file. */
  readonly columns: readonly Column[];
  /** Leading fields of each record that are not in the file: the mark, and keys. */
  readonly hidden: number;
  /** The first field of each record is empty, unless the row changed after the bound `_as_of` and is to be left out. */
  readonly isMarked: boolean;
  /** Where in a record each part of the key is. */
  readonly keyPlaces: readonly number[];
  /** So many expressions come behind the key in the order of the rows (`tiesOf`). */
  readonly ties: number;
}

export function textsOf(shape: ReportShape, format: TableFormat): ReportTexts {
  const { key } = shape;
  const fields = fileFields(shape, format);
  // Where equal values are written in several ways, only the column as it is has the text that the rows are ordered by.
  const placeOf = ({ name, equalIsSame }: ShapeColumn) =>
    fields.findIndex(
      (field) =>
        field.name === name && field.isExact && (equalIsSame || field.sql === identifier(name)),
    );
  const hidden = key.filter((column) => placeOf(column) === -1);
  const mark = shape.asOf === null ? [] : [`CASE WHEN ${isLater(shape.asOf)} THEN 1 END`];
  const before = mark.length + hidden.length;
  const keyPlaces = key.map((column) => {
    const at = placeOf(column);
    return at === -1 ? mark.length + hidden.indexOf(column) : before + at;
  });
  const selected = [
    ...mark,
    ...hidden.map(({ name }) => identifier(name)),
    ...fields.map(({ sql }) => sql),
  ];
  const names = key.map(({ name }) => identifier(name));
  // With the table: a bare name would be the selected column of that name, such as `"id"::text`, and the order that of its text.
  const ties = tiesOf(key);
  const order = `ORDER BY ${[...names.map((name) => `report.${name}`), ...ties.map(({ sql }) => sql)].join(', ')}`;
  const limit = `LIMIT ${setting(CHUNK_ROWS, 'bigint')}`;
  const rows = `SELECT ${selected.join(', ')} ${fromText(shape)}`;
  const rowsAfter = `SELECT ${selected.join(', ')} ${fromText(shape, afterKey(key))}`;
  return {
    firstChunk: `${rows} ${order} ${limit}`,
    nextChunk: `${rowsAfter} ${order} ${limit}`,
    all: `${rows} ${order}`,
    rest: `${rowsAfter} ${order}`,
    restOfGroups: `SELECT ${selected.join(', ')} ${fromText(wholeFirst(shape), afterKey(key))} ${order}`,
    groups: key.every(isPlain)
      ? null
      : `SELECT * ${fromText(shape, `${setting(PROBE, 'text')} = pg_catalog.concat(${names.join(', ')})`)}`,
    mayRewrite: key.some(
      (column) => !isPlain(column) && (!column.equalIsSame || column.type.family === 'text'),
    ),
    nullKeys: canBeNull(shape)
      ? `SELECT 1 ${fromText(shape, names.map((name) => `${name} IS NULL`).join(' OR '))} LIMIT 1`
      : null,
    count: `SELECT count(*) ${fromText(shape, isNotLater(shape))}`,
    estimate: `SELECT 1 ${fromText(shape, isNotLater(shape))}`,
    columns: fields.map(({ column }) => column),
    hidden: before,
    isMarked: mark.length > 0,
    keyPlaces,
    ties: ties.length,
  };
}

/**
 * What comes behind the key in the order of the rows, so that no two different texts of a key are equal: `Key` and `KEY` of a citext,
 * 1 and 1.0, one day and 24 hours. Whoever goes on after one of them would leave out the other, which is not greater. As the
 * type's output function writes it, which is what COPY sends: a cast to text takes the blanks from a character(n).
 */
function tiesOf(key: readonly ShapeColumn[]): { readonly sql: string; readonly value: string }[] {
  return key.flatMap(({ name, equalIsSame }, at) =>
    equalIsSame
      ? []
      : [
          {
            sql: `pg_catalog.format('%s', report.${identifier(name)}) COLLATE "C"`,
            value: setting(`${KEY}${at}`, 'text'),
          },
        ],
  );
}

/** Equal values of it are the same text, and it is what rows are grouped by, if they are grouped by it. */
function isPlain({ equalIsSame, isOfTable }: ShapeColumn): boolean {
  return equalIsSame && isOfTable;
}

/** A condition around it is about what comes out: the planner takes none below an OFFSET. */
function wholeFirst(shape: ReportShape): ReportShape {
  return { ...shape, sql: `SELECT * ${fromText(shape)} OFFSET 0`, where: null };
}

/** A key as the values that the texts read: as Postgres wrote them, so that no digit and no microsecond is lost. */
export function keyValues(key: readonly string[]): Record<string, string> {
  return Object.fromEntries(key.map((value, at) => [`${KEY}${at}`, value]));
}

/** Is this part of a plan about a bound key? */
export function namesKey(text: string): boolean {
  return text.includes(`'rp.${KEY}0'`);
}

export function namesProbe(text: string): boolean {
  return text.includes(`'rp.${PROBE}'`);
}

/**
 * A comparison of rows: an index on the key serves it whole, where an OR over its parts reads from the beginning (1.5 s to 1.5 ms).
 * Each value is cast to the type of its column: against a numeric, an index on integers is not used. Of a row that is longer than the
 * index, Postgres takes the part that the index has, with >= in place of >, and looks at the rest row by row.
 */
function afterKey(key: readonly ShapeColumn[]): string {
  const names = key.map(({ name }) => identifier(name));
  const values = key.map(({ type }, at) => setting(`${KEY}${at}`, type.cast));
  const ties = tiesOf(key);
  const left = [...names, ...ties.map(({ sql }) => sql)];
  const right = [...values, ...ties.map(({ value }) => value)];
  return `(${left.join(', ')}) > (${right.join(', ')})`;
}

/** The SQL ends with a line end: it may end with a comment. */
function fromText({ sql, where }: ReportShape, condition: string | null = null): string {
  const conditions = [
    ...(where === null ? [] : [`(${where})`]),
    ...(condition === null ? [] : [`(${condition})`]),
  ];
  return `FROM (\n${sql}\n) AS report${conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`}`;
}

function isLater(asOf: ShapeColumn): string {
  return `${identifier(asOf.name)} > ${setting(AS_OF, 'timestamptz')}`;
}

/** Rows without a time were not changed later, as far as anybody knows. */
function isNotLater({ asOf }: ReportShape): string | null {
  return asOf === null ? null : `(${isLater(asOf)}) IS NOT TRUE`;
}

/** What makes a NULL of a column that is NOT NULL in its table: outer joins, and groupings with totals. */
const MAKES_NULL = /\b(?:left|right|full|outer|rollup|cube|sets)\b/i;

/** Looking for NULLs reads all rows once, so it is done only where there can be any. */
function canBeNull({ key, sql }: ReportShape): boolean {
  return MAKES_NULL.test(sql) || key.some(({ notNull }) => !notNull);
}
