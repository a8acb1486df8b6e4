import { JobFailure } from '@millrace/engine';
import { type Reading, SourceError } from '@millrace/sql-source';
import { MissingColumn, rowSql } from '../identity/row-sql.ts';
import type { RowSql } from '../identity/types.ts';
import { isBuiltInAggregate } from '../sql/aggregates.ts';
import { rowsInside } from '../sql/rows-inside.ts';
import type { Prepared } from './prepare.ts';

/** Which rows the identity of the job may see, as a condition on what the SQL gives. */
export function rowsOfIdentity(
  { decision }: Pick<Prepared, 'decision'>,
  types: ReadonlyMap<string, string>,
): RowSql {
  try {
    return rowSql(decision, (column) => types.get(column) ?? null);
  } catch (error) {
    if (!(error instanceof MissingColumn)) throw error;
    throw new JobFailure('source_refused', error.message, { retryable: false });
  }
}

const AGGREGATES =
  'SELECT DISTINCT f.proname FROM pg_catalog.pg_proc f JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = f.oid';

/**
 * The SQL with the rules inside, where it computes something of several rows. Files are checked for that when they are loaded; the
 * database knows aggregates of its own besides, and whether the names in the rules mean one column.
 */
export async function withRules(
  reading: Reading,
  sql: string,
  rules: RowSql['inside'],
): Promise<string> {
  if (rules.length === 0) return sql;
  const aggregates = new Set((await reading.rows(AGGREGATES)).map(([name]) => name));
  const isAggregate = (name: string) => aggregates.has(name) || isBuiltInAggregate(name);
  const placed = rowsInside(sql, rules, isAggregate);
  if ('problem' in placed) throw refused(placed.problem.message);
  if (placed.sql === sql) return sql;
  try {
    await reading.describe(placed.sql);
  } catch (error) {
    if (!(error instanceof SourceError) || error.retryable) throw error;
    throw refused(
      `The row rules have to be put inside the SQL, since it computes something of several rows, and the database refuses that (${error.message}) Write each column of a rule with its table, as in t.county_id, or \`totals: all rows\` in the file if everyone may see what is computed of all rows.`,
    );
  }
  return placed.sql;
}

function refused(message: string): JobFailure {
  return new JobFailure('totals_refused', message, { retryable: false });
}
