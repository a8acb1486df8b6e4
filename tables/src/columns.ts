import { TableError } from './errors.ts';

export const COLUMN_TYPES = ['text', 'number', 'decimal', 'double', 'boolean', 'date'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

export interface Column {
  readonly name: string;
  /**
   * `number`: whole numbers, as identifiers and counts are. `decimal`: with a fraction, exact. `double`: 64 bits of IEEE 754,
   * whose text has the digits that tell it from its neighbours.
   */
  readonly type: ColumnType;
  /** Digits after the point of a `decimal`, where they are known. Parquet needs them: 18 unless given. */
  readonly scale?: number;
  /** CSV: false where nobody can have typed a formula, as in a column of intervals: `-1 days` stays as it is. Guarded unless false. */
  readonly isGuarded?: false;
  /** JSON Lines: its texts are JSON, and become part of the line's object as they are. Elsewhere they are text. */
  readonly isJson?: true;
  /** Parquet, of a `date`: a day, or a moment in UTC. Left out: a date with a time of no known zone. */
  readonly moment?: 'day' | 'instant';
}

/**
 * Text is read as what the type of its column says (README, "Values"). Empty text in a column that is not `text`, and
 * `undefined` anywhere, are null.
 */
export type Value = string | number | bigint | boolean | Date | null | undefined;

/** In the order of the columns. */
export type Row = readonly Value[];

/** Rows as Postgres writes them: `COPY (SELECT …) TO STDOUT (FORMAT csv)`, whole records, each with its LF. */
export interface CopiedRows {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

/** Counts of values that could not be written as they were given. Nothing is silent: the file shows it too. */
export interface Notes {
  /**
   * Values that their column's type does not have, written as text: `n/a` in a column of numbers. In XLSX also numbers of
   * more than 15 digits and dates before March 1900, which Excel would change.
   */
  asText: number;
  /** Halves of surrogate pairs, which UTF-8 cannot hold, written as U+FFFD. */
  replaced: number;
  /** Cells longer than a spreadsheet's limit, cut with a mark at their end. */
  cut: number;
  /** Numbers whose whole part has more digits than the double that Parquet has for them. */
  rounded: number;
}

/**
 * One format. Each call of `write` makes a chunk whose bytes depend on the columns, the options, the rows and the state
 * before it, and on nothing else. It comes in pieces, so that a server can do other work between two of them; only when
 * all were taken does the state stand after the chunk.
 */
export interface Writer<State, Batch = readonly Row[]> {
  /** The bytes before the first row. */
  begin(): Iterable<Uint8Array>;
  write(batch: Batch): Iterable<Uint8Array>;
  end(): Iterable<Uint8Array>;
  /** Plain JSON. */
  state(): State;
}

const MAX_SCALE = 38;

export function checkColumns(columns: readonly Column[]): void {
  if (columns.length === 0) throw refusal('A table needs at least one column.');
  const names = new Set<string>();
  for (const { name, type, scale } of columns) {
    // Two keys of one name in a line of JSON, or two columns of Parquet, and a reader loses one of them.
    if (names.has(name)) throw refusal(`Two columns have the name "${name}". Rename one of them.`);
    names.add(name);
    if (!COLUMN_TYPES.includes(type)) {
      throw refusal(
        `The column "${name}" has the type "${type}"; there are ${COLUMN_TYPES.join(', ')}.`,
      );
    }
    if (scale === undefined) continue;
    if (type !== 'decimal') throw refusal(`The column "${name}" is no decimal and has no scale.`);
    if (!Number.isInteger(scale) || scale < 0 || scale > MAX_SCALE) {
      throw refusal(`The scale of the column "${name}" is ${scale}; it may be 0 to ${MAX_SCALE}.`);
    }
  }
}

function refusal(message: string): TableError {
  return new TableError('bad_columns', message);
}
