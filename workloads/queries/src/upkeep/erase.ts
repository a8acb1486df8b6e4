import { LIVE } from '@millrace/runs';
import type { Database, Statement } from '@millrace/store-postgres';

/**
 * Empties the runs of someone, and those whose SQL names them, removes such snippets, and counts both. Runs that live are canceled, and their next poll
 * removes what they made; rows that were kept expire now, and the sweeper deletes them within minutes.
 */
export type Erase = (
  subject: string,
) => Promise<{ readonly runs: number; readonly snippets: number }>;

// A name of one or two characters would be found in every SQL. $1 subject
const ERASE: Statement = {
  name: 'queries_erase',
  text: `
UPDATE millrace.shell_query_runs
   SET sql_text = '', snippet_name = NULL, key = NULL, target_fields = NULL,
       columns = CASE WHEN columns IS NULL THEN NULL ELSE '[]'::jsonb END,
       submitter = CASE WHEN submitter = $1 THEN NULL ELSE submitter END,
       error_message = CASE WHEN error_message IS NULL THEN NULL ELSE 'Erased.' END,
       state = CASE WHEN ${LIVE} THEN 'CANCELED' ELSE state END,
       finished_at = coalesce(finished_at, millrace.clock()),
       results_expire_at = least(results_expire_at, millrace.clock())
 WHERE sql_text <> '' AND (submitter = $1
    OR (length($1) > 2 AND position(lower($1) IN lower(sql_text)) > 0))
RETURNING seq`,
};

// $1 subject
const ERASE_SNIPPETS: Statement = {
  name: 'queries_erase_snippets',
  text: `
DELETE FROM millrace.query_snippets
 WHERE user_id = $1 OR (length($1) > 2 AND position(lower($1) IN lower(sql_text)) > 0) RETURNING name`,
};

export function createErase({ database }: { database: Database }): Erase {
  return async (subject) => ({
    runs: (await database.query(ERASE, [subject])).length,
    snippets: (await database.query(ERASE_SNIPPETS, [subject])).length,
  });
}
