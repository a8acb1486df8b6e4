import type { Row, Unit } from '../data/account.ts';
import type { Field } from '../data/fields.ts';

export interface SqlRequest {
  readonly unit: Unit;
  /** As the query activity has it. */
  readonly sql: string;
  /** The columns that the target takes. */
  readonly target: readonly Field[];
  /** Ends when the query is stopped. */
  readonly signal: AbortSignal;
}

/** The result of a SELECT: the names as it spells them, and the values as text. */
export interface SqlAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** Runs one SELECT. What it throws as QueryError becomes the ErrorMsg of the task. */
export type RunSql = (request: SqlRequest) => Promise<SqlAnswer>;

/** A database that runs SQL, and what it holds until it is closed. */
export interface Runner {
  readonly run: RunSql;
  /** Throws a QueryError where the SQL cannot run. */
  check(unit: Unit, sql: string): Promise<void>;
  close(): Promise<void>;
}

/** The query is at fault, or its data. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
}
