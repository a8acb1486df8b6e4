import { LIVE } from '@millrace/runs';
import { type Database, type Statement, numbers } from '@millrace/store-postgres';

/**
 * Empties the runs that someone submitted, and those whose parameters or outputs name them, and counts them. What the steps have made
 * is erased by the workloads that keep it.
 */
export type Erase = (subject: string) => Promise<{ readonly pipelineRuns: number }>;

// A name of one or two characters would be found in every run. $1 subject
const ERASE: Statement = {
  name: 'pipelines_erase',
  text: `
UPDATE millrace.pipeline_runs
   SET submitter = CASE WHEN submitter = $1 THEN NULL ELSE submitter END, roles = '[]', claims = '{}', key = NULL,
       parameters = '{}', "values" = '{}', state = CASE WHEN ${LIVE} THEN 'CANCELED' ELSE state END,
       error_message = CASE WHEN error_message IS NULL THEN NULL ELSE 'Erased.' END,
       finished_at = coalesce(finished_at, millrace.clock())
 WHERE submitter = $1 OR (length($1) > 2 AND (
         position(lower($1) IN lower(parameters::text)) > 0
      OR EXISTS (SELECT FROM millrace.pipeline_steps s WHERE s.run = seq
                    AND position(lower($1) IN lower(coalesce(s.output::text, '') || coalesce(s.error_message, ''))) > 0)))
RETURNING seq`,
};

// $1 subject
const ERASE_STEPS: Statement = {
  name: 'pipelines_erase_steps',
  text: `
UPDATE millrace.pipeline_steps
   SET output = NULL, progress = NULL, error_message = CASE WHEN error_message IS NULL THEN NULL ELSE 'Erased.' END,
       stop_pending = state = 'running' AND (starting OR started_id IS NOT NULL),
       state = CASE WHEN state IN ('waiting', 'running') THEN 'canceled' ELSE state END
 WHERE run = ANY ($1::text::bigint[])`,
};

export function createErase({ database }: { database: Database }): Erase {
  return (subject) =>
    database.transaction(async (session) => {
      const runs = await session.query<{ seq: number }>(ERASE, [subject]);
      if (runs.length > 0) await session.query(ERASE_STEPS, [numbers(runs.map(({ seq }) => seq))]);
      return { pipelineRuns: runs.length };
    });
}
