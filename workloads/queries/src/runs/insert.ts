import { StoreUnavailable } from '@millrace/engine';
import type { Param, Session, Statement } from '@millrace/store-postgres';
import { COLUMNS, type RunRecord, type RunRow, recordOf } from './record.ts';

/**
 * One run for one key of a user, as jobs have it: while the run lives, and for the window after it went well. With the window
 * `always`, however the run ended: whoever lost the answer must not begin a second one because the first has failed meanwhile.
 */
export interface RunKey {
  readonly value: string;
  readonly windowMs: number | 'always';
}

export interface NewRunRecord {
  readonly tenantId: string;
  readonly userId: string;
  readonly mid: string;
  readonly eid: string | null;
  readonly sqlText: string;
  readonly snippetName: string | null;
  readonly correlationId: string | null;
  readonly key: RunKey | null;
}

export interface Inserted {
  readonly run: RunRecord;
  /** False: another run has the key, and `run` is that one. */
  readonly created: boolean;
}

// The key in Marketing Cloud is made of the seq and a random part (keys.ts). $1 tenant $2 user $3 mid $4 eid $5 sql $6 snippet $7 correlation id
// $8 prefix of keys $9 key of the run
const INSERT: Statement = {
  name: 'queries_add_run',
  text: `
WITH next AS (SELECT nextval(pg_get_serial_sequence('millrace.shell_query_runs', 'seq')) AS seq,
                     substr(gen_random_uuid()::text, 1, 6) AS part)
INSERT INTO millrace.shell_query_runs (seq, tenant_id, user_id, mid, eid, sql_text, snippet_name, status, correlation_id,
                                       created_at, touched_at, query_customer_key, target_de_name, key)
OVERRIDING SYSTEM VALUE
SELECT seq, $1, $2, $3, $4, $5, $6, 'queued', coalesce($7, 'run-' || seq), millrace.clock(), millrace.clock(),
       $8::text || seq || '-' || part, $8::text || seq || '-' || part, $9 FROM next
ON CONFLICT (tenant_id, user_id, key) WHERE key IS NOT NULL DO NOTHING
RETURNING ${COLUMNS}`,
};

// A statement of its own: an INSERT of the same statement would still see the key. $1 tenant $2 user $3 key $4 window, ms
const GIVE_UP_KEY: Statement = {
  name: 'queries_give_up_key',
  text: `
UPDATE millrace.shell_query_runs SET key = NULL
 WHERE tenant_id = $1 AND user_id = $2 AND key = $3
   AND (status IN ('failed', 'canceled')
     OR (status = 'ready' AND completed_at <= millrace.clock() - $4::float8 * interval '1 millisecond'))`,
};

// $1 tenant $2 user $3 key
const OWNER: Statement = {
  name: 'queries_run_of_key',
  text: `SELECT ${COLUMNS} FROM millrace.shell_query_runs WHERE tenant_id = $1 AND user_id = $2 AND key = $3`,
};

/** Tries at a key whose run is removed or erased each time it is looked for. */
const TRIES = 5;

export async function insertRun(
  session: Session,
  run: NewRunRecord,
  prefix: string,
): Promise<Inserted> {
  const { tenantId, userId, mid, eid, sqlText, snippetName, correlationId, key } = run;
  const first = async (statement: Statement, params: readonly Param[]) => {
    const [row] = await session.query<RunRow>(statement, params);
    return row === undefined ? null : recordOf(row);
  };
  const values = [tenantId, userId, mid, eid, sqlText, snippetName, correlationId, prefix];
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (key !== null && key.windowMs !== 'always')
      await session.query(GIVE_UP_KEY, [tenantId, userId, key.value, key.windowMs]);
    const made = await first(INSERT, [...values, key?.value ?? null]);
    if (made !== null) return { run: made, created: true };
    const owner = await first(OWNER, [tenantId, userId, key?.value ?? null]);
    if (owner !== null) return { run: owner, created: false };
  }
  throw new StoreUnavailable('A key of runs changed hands again and again. Send the run again.');
}
