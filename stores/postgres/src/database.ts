import { MillraceError } from '@millrace/engine';

/**
 * A database as the operations need it: the same for Postgres and for PGlite. Parameters are texts and
 * numbers only (arrays travel as array literals, cast in the SQL), so that both drivers send them alike.
 */
export type Param = string | number | boolean | null;
export type Row = Record<string, unknown>;

/** `name` is the prepared statement's: parsed and planned once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** With values. */
export interface Question {
  readonly statement: Statement;
  readonly params: readonly Param[];
}

export interface Session {
  query<R extends Row>(statement: Statement, params: readonly Param[]): Promise<R[]>;
  /** Several statements without parameters. */
  script(sql: string): Promise<void>;
}

export interface Database extends Session {
  /** The database runs in this process: there is no autovacuum and no checkpointer. */
  readonly isEmbedded: boolean;
  /** Somebody else changes the schema: `migrate` looks whether it is new enough, and issues no DDL. */
  readonly schemaFixed?: boolean;
  /** Runs the work in a transaction, again if it was undone because of others (a deadlock). */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * A condition that stops the work although the database answers (a full disk, say), in a sentence for anyone: see
   * `trouble.ts`.
   */
  trouble(): string | null;
  /** The state of the pool, where there is one. `waiting` are callers for whom no connection was free. */
  connections?(): { total: number; idle: number; waiting: number };
  /** Why it has ended for good within this process, in a sentence for anyone; null: it has not. */
  stopped(): string | null;
  /**
   * Runs these questions on every connection before its first use, where statements are prepared: planning a claim
   * takes ten times as long as running it, and would be paid in the middle of the work by whoever first meets each
   * connection.
   */
  warmUp?(questions: readonly Question[]): void;
  /** A session on the caller's own transaction: one of the driver's, or the session that `transaction` has given. */
  join(transaction: unknown): Session;
  /** `onGap`: notifications may have been missed up to now. */
  listen(
    channel: string,
    onMessage: (message: string) => void,
    onGap: () => void,
  ): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** A literal such as `{1,2,NULL}`. */
export function numbers(values: readonly (number | null)[]): string {
  let literal = '{';
  for (let i = 0; i < values.length; i++)
    literal += i === 0 ? (values[i] ?? 'NULL') : `,${values[i] ?? 'NULL'}`;
  return `${literal}}`;
}

export function texts(values: readonly (string | null | undefined)[]): string {
  let literal = '{';
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (i > 0) literal += ',';
    literal += value == null ? 'NULL' : quote(value);
  }
  return `${literal}}`;
}

/** For columns that most rows leave empty: `unnest` of several arrays fills the shorter ones up with NULL. */
export function optionalTexts(values: readonly (string | null | undefined)[]): string {
  return values.every((value) => value == null) ? '{}' : texts(values);
}

export function optionalNumbers(values: readonly (number | null)[]): string {
  return values.every((value) => value === null) ? '{}' : numbers(values);
}

function quote(value: string): string {
  // The driver would turn half of a surrogate pair into U+FFFD without a word.
  if (!value.isWellFormed())
    throw new MillraceError(
      'invalid_text',
      'A text holds half of a surrogate pair, which Postgres cannot keep.',
    );
  return `"${SPECIAL.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`;
}

const SPECIAL = /["\\]/;
