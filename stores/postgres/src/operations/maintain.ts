import type { Database, Statement } from '../database.ts';
import type { Context } from './context.ts';

// One replica folds at a time; the others have nothing to wait for.
const FOLD: Statement = {
  name: 'millrace_fold_counts',
  text: `
WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtext('millrace.fold')) AS mine),
folded AS (DELETE FROM millrace.count_delta WHERE (SELECT mine FROM turn) RETURNING kind, tenant, state, n)
INSERT INTO millrace.counts AS c (kind, tenant, state, n)
SELECT kind, tenant, state, sum(n) FROM folded GROUP BY kind, tenant, state ORDER BY kind, tenant, state
ON CONFLICT (kind, tenant, state) DO UPDATE SET n = c.n + excluded.n`,
};

export async function maintain({ database }: Context): Promise<void> {
  await database.query(FOLD, []);
  if (database.isEmbedded) await tidy(database);
}

// The counters of a connection reach the statistics once a second, or when it asks for it.
const COUNT_NOW: Statement = {
  name: 'millrace_count_now',
  text: 'SELECT pg_stat_force_next_flush()',
};

// Does what a server's autovacuum would do by now. A table is due with 1,000 dead rows and a fifth of those that live, so that
// the long history is left alone while the queue's narrow tables, which are empty as often as not, come each time.
// Rows that nobody has frozen for 2 billion transactions would vanish: a server keeps count for every table, so does this.
const DUE: Statement = {
  name: 'millrace_vacuum_due',
  text: `
SELECT format('%I.%I', s.schemaname, s.relname) AS name
  FROM pg_stat_all_tables s JOIN pg_class c ON c.oid = s.relid
 WHERE c.relkind = 'r' AND (
       s.schemaname = 'millrace' AND s.n_dead_tup > 1000 + s.n_live_tup / 5
       OR age(c.relfrozenxid) > 200000000)
 ORDER BY s.n_dead_tup DESC`,
};

// A server also checkpoints by itself. Without that the log keeps every byte ever written, and a start after a crash
// replays it all.
const LOG_SIZE: Statement = {
  name: 'millrace_log_size',
  text: `
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 AS bytes FROM pg_control_checkpoint()`,
};

const LONGEST_LOG_BYTES = 128 * 1024 * 1024;

/**
 * The embedded database has no processes in the background. Each statement holds its one connection by itself, so that
 * jobs get their turn in between.
 */
async function tidy(database: Database): Promise<void> {
  await database.query(COUNT_NOW, []);
  for (const { name } of await database.query<{ name: string }>(DUE, []))
    await database.script(`VACUUM ${name}`);
  const [log] = await database.query<{ bytes: number }>(LOG_SIZE, []);
  if ((log?.bytes ?? 0) > LONGEST_LOG_BYTES) await database.script('CHECKPOINT');
}
