import { MissingColumn, rowSql } from '../identity/row-sql.ts';
import { JobFailure } from '@millrace/engine';
import type { RowSql } from '../identity/types.ts';
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
