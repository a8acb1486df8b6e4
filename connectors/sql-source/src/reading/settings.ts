/**
 * What the session of a reading is set to, whatever the role or the database has as its default. All of it is part of the
 * transaction, so that nothing is left behind on a connection that a pooler hands to somebody else; once the transaction
 * is over the reading is, too.
 *
 * The formats are those that `psql` has by default. With `jit` a query that is planned as a big one is compiled to machine
 * code first: 90 ms a chunk.
 */
const FIXED: Readonly<Record<string, string>> = {
  jit: 'off',
  datestyle: 'ISO, YMD',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  lock_timeout: '30s',
};

/** For a client that was cut off while it held a snapshot, and with it every dead row of the database. */
const IDLE_MS = 10 * 60_000;

/** The SELECT takes the snapshot; from then on the transaction cannot become one that writes. */
export function beginText(statementTimeoutMs: number): string {
  const settings = {
    ...FIXED,
    statement_timeout: `${Math.ceil(statementTimeoutMs)}ms`,
    idle_in_transaction_session_timeout: `${IDLE_MS}ms`,
  };
  return [
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    ...Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = '${value}'`),
    'SELECT 1',
  ].join('; ');
}

/** A COPY that is read slowly takes as long as its reader: what is watched instead is whether rows come. */
export const WITHOUT_TIMEOUT = 'SET LOCAL statement_timeout = 0';
