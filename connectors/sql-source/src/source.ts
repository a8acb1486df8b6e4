/** Where reports read: a Postgres, or the embedded one. Nothing is changed by a reading. */
export interface SqlSource {
  readonly kind: 'postgres' | 'embedded';
  /**
   * A read-only transaction with one snapshot, on a connection of its own. The embedded source has one session: the
   * next reading begins when the last has ended, so whoever has one must not wait for a second.
   */
  begin(options: BeginOptions): Promise<Reading>;
  /** Throws SourceUnavailable with a sentence. */
  check(): Promise<void>;
  /** Embedded only: runs SQL that changes something, such as the sample's schema and rows. */
  readonly change?: (sql: string) => Promise<void>;
  /** Ends readings that are still under way. */
  close(): Promise<void>;
}

export interface BeginOptions {
  /** The longest that a statement may take; of a COPY, the longest that it may go without a row. */
  readonly statementTimeoutMs: number;
  readonly applicationName?: string;
  /** Stops what runs in the source, and ends the reading. */
  readonly signal?: AbortSignal;
}

/**
 * One statement at a time. After an error, or a COPY that was not read to its end, the reading is over. SQL is one SELECT
 * that calls no VOLATILE function: such a function could change something, undo what `set` has set, or give another
 * result when the report is resumed. Everything else is refused with `bad_sql`.
 */
export interface Reading {
  /** For SQL to read as current_setting('rp.<name>'). A null is not set: the SQL says NULL in its place. */
  set(values: Readonly<Record<string, string | null>>): Promise<void>;
  /** The columns that the SQL gives; runs nothing. Call it for SQL by an author alone, before putting anything around it. */
  describe(sql: string): Promise<readonly SourceColumn[]>;
  /** Aggregates that the SQL calls and its text does not show; of SQL that was described. */
  aggregatesByPoint(sql: string): Promise<readonly CalledAggregate[]>;
  explain(sql: string): Promise<PlanNode>;
  /** Small results; values as Postgres writes them. */
  rows(sql: string): Promise<readonly (readonly (string | null)[])[]>;
  /**
   * Batches of whole rows. It reads up to two batches ahead, then pauses the source. `values` are set before, as `set` does, without a
   * way to the source and back of their own.
   */
  copy(
    sql: string,
    cut: Cut,
    values?: Readonly<Record<string, string | null>>,
  ): AsyncIterable<CopiedRows>;
  /** Always to be called; again is fine. */
  end(): Promise<void>;
}

/** An aggregate in the notation of a column: `t.count` is `count(t)` where t has no such column. */
export interface CalledAggregate {
  readonly name: string;
  /** Where in the SQL. */
  readonly position: number;
}

export interface SourceColumn {
  readonly name: string;
  /** As SQL writes it, with its size: `numeric(10,2)`. */
  readonly type: string;
  readonly oid: number;
  /** The column of a table that is NOT NULL there; an outer join around it can still give NULL. */
  readonly notNull: boolean;
  /**
   * Values that the database calls equal are also written alike. Not so of citext (`Key`, `KEY`), interval (`1 day`, `24:00:00`),
   * numeric without a scale (`1`, `1.0`), and text in a database that has a non-deterministic collation.
   */
  readonly equalIsSame: boolean;
  /** A column of a table as it is: no expression, and not of a view, which may compute it. */
  readonly isOfTable: boolean;
}

/** A batch ends with the first row that makes it at least so many bytes and at least so many rows. */
export interface Cut {
  readonly bytes: number;
  readonly rows: number;
  /** With so many bytes it ends however few its rows are: wide rows must not fill the memory. */
  readonly mostBytes?: number;
  /** `csv` if left out. */
  readonly format?: CopyFormat;
  /** The most rows of the next batch: asked before the first, and with each that is complete. */
  readonly nextRows?: (taken: { readonly rows: number; readonly bytes: number } | null) => number;
  /** The likely bytes of a batch, so that its memory need not grow. */
  readonly likelyBytes?: number;
}

/**
 * `csv` and `text` are Postgres' own. `lines` is for SQL that gives one column with the finished line: it passes
 * untouched as long as it has no line end and none of the control characters U+0001 to U+0003, and is not `\.` alone.
 */
export type CopyFormat = 'csv' | 'text' | 'lines';

export interface CopiedRows {
  readonly bytes: Buffer;
  readonly rows: number;
  readonly lastRow: Buffer;
}

/** As EXPLAIN (FORMAT JSON) gives it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Plan Rows': number;
  readonly Plans?: readonly PlanNode[];
  readonly [property: string]: unknown;
}
