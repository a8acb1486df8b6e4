import type { Queue } from '@millrace/engine';
import type { Database, Statement } from '@millrace/store-postgres';

/**
 * Forgets the runs of someone, and those whose parameters name them, and counts them. They are gone for everybody at once;
 * a live one is cancelled, and the sweeper removes file, job and row within minutes.
 */
export type Erase = (subject: string) => Promise<{ readonly reports: number }>;

// A name of one or two characters would be found in every parameter. $1 subject
const ERASE: Statement = {
  name: 'reports_erase',
  text: `
UPDATE millrace.report_runs
   SET erased_at = millrace.clock(), parameters = '{}', identity = NULL, token = NULL, note = NULL, file_name = NULL, error_message = NULL,
       submitter = CASE WHEN submitter = $1 THEN NULL ELSE submitter END
 WHERE erased_at IS NULL AND (submitter = $1
    OR (length($1) > 2 AND position(lower($1) IN lower(parameters::text)) > 0))
RETURNING job`,
};

export function createErase(parts: { database: Database; queue: Pick<Queue, 'cancel'> }): Erase {
  const { database, queue } = parts;
  return async (subject) => {
    const jobs = (await database.query<{ job: string }>(ERASE, [subject])).map(({ job }) => job);
    if (jobs.length > 0) await queue.cancel(jobs);
    return { reports: jobs.length };
  };
}
