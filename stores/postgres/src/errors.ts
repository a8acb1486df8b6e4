import { StoreUnavailable } from '@millrace/engine';

/**
 * SQLSTATE classes after which the same statement may succeed later: connection, resources and disk,
 * operator intervention, system, deadlock and serialisation, lock not available, read-only during a fail-over.
 */
const PASSING = /^(08|53|57|58|40|55P03|25006|XX)/;

/** A driver's error as the engine knows it: either the database is away, or the data is at fault. */
export function storeError(error: unknown): Error {
  if (error instanceof StoreUnavailable) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isSqlState = /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E');
  if (isSqlState && !PASSING.test(code)) return error as Error;
  const message = error instanceof Error ? error.message : String(error);
  return new StoreUnavailable(`The database did not answer: ${message}`, { cause: error });
}
