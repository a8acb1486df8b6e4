import { UNLESS_KEY_TAKEN } from '@millrace/runs';
import type { Statement } from '@millrace/store-postgres';
import { ImportRefused, anyMoment, importer, isExpired } from '@millrace/workload-kit';
import { z } from 'zod';
import { runStatus, stateOf } from '../contract/runs.ts';
import { mid, sql } from '../contract/values.ts';
import { createMids } from '../mids.ts';
import type { QueriesConfig } from '../settings.ts';
import { readKeys } from './asset-keys.ts';
import { queryRunIds } from './query-run.ts';

const name = z.string().min(1).max(200);

/** A run of another system. One that lives and has a task is followed from here on; one that lives and has none is begun. */
const runLine = z
  .strictObject({
    id: name,
    tenant: z.string().max(100).default(''),
    user: z.string().max(200).default(''),
    mid,
    sql,
    snippet: z.string().min(1).max(100).nullish(),
    status: runStatus,
    createdAt: anyMoment,
    taskId: name.nullish(),
    queryDefinitionId: name.nullish(),
    queryCustomerKey: name.nullish(),
    targetDeName: name.nullish(),
    pollStartedAt: anyMoment.nullish(),
    pollCount: z.int().min(0).default(0),
    completedAt: anyMoment.nullish(),
    rowCount: z.int().min(0).nullish(),
    error: z.string().nullish(),
  })
  .superRefine((run, context) => {
    const missing = (path: keyof typeof run, message: string): void => {
      if (run[path] == null) context.addIssue({ code: 'custom', path: [path], message });
    };
    if (!isLive(run)) return missing('completedAt', 'A run that is over says when it ended.');
    if (run.taskId == null) return;
    missing('targetDeName', 'Without the data extension its rows cannot be read.');
    if (run.queryDefinitionId == null)
      missing('queryCustomerKey', 'The query is known by its id or by its key: give one.');
  });

type RunLine = z.infer<typeof runLine>;

// The reconciler finds those that live (touched_at), and makes their jobs. What a run that is over has left in Marketing Cloud is for the
// other system to remove. $1 tenant $2 submitter $3 mid $4 eid $5 sql $6 snippet $7 state $8 task $9 query $10 its key $11 target
// $12 polls $13 rows $14 error code $15 error $16 correlation id $17 created $18 polled since $19 completed $20 key $21 prefix of keys
const ADD: Statement = {
  name: 'queries_import_run',
  text: `
WITH next AS (SELECT nextval(pg_get_serial_sequence('millrace.shell_query_runs', 'seq')) AS seq,
                     substr(gen_random_uuid()::text, 1, 6) AS part)
INSERT INTO millrace.shell_query_runs (seq, tenant, submitter, mid, eid, sql_text, snippet_name, state, task_id, query_definition_id,
    query_customer_key, target_de_name, poll_count, row_count, error_code, error_message, correlation_id, created_at, started_at,
    finished_at, results_expire_at, query_gone_at, target_gone_at, key, touched_at)
OVERRIDING SYSTEM VALUE
SELECT seq, $1, $2, $3, $4, $5, $6, $7, $8, $9,
       CASE WHEN $8::text IS NULL THEN $21::text || seq || '-' || part ELSE $10 END,
       CASE WHEN $8::text IS NULL THEN $21::text || seq || '-' || part ELSE $11 END,
       $12::int, $13::float8, $14, $15, $16, $17::text::timestamptz, $18::text::timestamptz, ended, ended, ended, ended, $20, timestamptz 'epoch'
  FROM next, (SELECT $19::text::timestamptz AS ended) o
${UNLESS_KEY_TAKEN}
RETURNING seq::float8 AS seq`,
};

// $1 tenant $2 submitter $3 key
const FIND: Statement = {
  name: 'queries_imported_run',
  text: `SELECT seq::float8 AS seq FROM millrace.shell_query_runs WHERE tenant = $1 AND coalesce(submitter, '') = $2 AND key = $3`,
};

export const runImport = importer(runLine, async (session, run, config: QueriesConfig) => {
  const { tenant, user } = run;
  const mids = createMids(config.accounts.flatMap((account) => account.mids));
  if (isLive(run) && !mids.of({ tenant, user }).includes(run.mid))
    throw new ImportRefused(
      `The run lives, and nobody could follow it: the settings have no business unit ${run.mid} for ${tenant === '' ? 'its user' : `the tenant ${tenant}`} (MCE_MIDS, MCE_ACCOUNTS).`,
    );
  if (run.completedAt != null && (await isExpired(session, run.completedAt, config.keepRunsMs)))
    return { outcome: 'expired' };
  // No request can have such a key: control characters are refused there.
  const key = `import\u001F${run.id}`;
  const isFollowed = isLive(run) && run.taskId != null;
  const { prefix } = await readKeys(session, config.installation);
  const [added] = await session.query<{ seq: number }>(ADD, [
    tenant,
    user === '' ? null : user,
    run.mid,
    mids.eid(run.mid),
    run.sql,
    run.snippet ?? null,
    isLive(run) ? (isFollowed ? 'PROCESSING' : 'QUEUED') : (stateOf(run.status) ?? 'FAILED'),
    run.taskId ?? null,
    run.queryDefinitionId ?? null,
    run.queryCustomerKey ?? null,
    run.targetDeName ?? null,
    run.pollCount,
    run.rowCount ?? null,
    run.status === 'failed' ? 'query_failed' : null,
    run.status === 'failed' ? (run.error ?? 'It gave no reason.') : null,
    run.id,
    run.createdAt,
    isFollowed ? (run.pollStartedAt ?? run.createdAt) : (run.pollStartedAt ?? null),
    run.completedAt ?? null,
    key,
    prefix,
  ]);
  if (added !== undefined) return { outcome: 'added', as: queryRunIds.of(added.seq) };
  const [there] = await session.query<{ seq: number }>(FIND, [tenant, user, key]);
  return { outcome: 'there', as: queryRunIds.of(there?.seq ?? 0) };
});

function isLive({ status }: Pick<RunLine, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}
