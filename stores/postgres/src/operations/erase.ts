import type { Statement } from '../database.ts';
import type { Context } from './context.ts';

// Everything that may be about the person goes, and `erased` keeps a running execution from writing it back. A job that
// has not run yet keeps its place, is claimed without data and fails. Its key goes too: it may be a name or a number. So
// does the subject of a job that has ended. One that waits or runs keeps it, unseen (job-row.ts): by it, erasing again
// finds what the job still made.
// `seen` counts by the snapshot: also a job that ended and was pruned while this waited for its row, and left children.
// $1 subject $2 also what is erased already
const ERASE: Statement = {
  name: 'millrace_erase',
  text: `
WITH found AS MATERIALIZED (
  SELECT seq, key FROM millrace.jobs WHERE subject = $1 AND ($2::boolean OR erased IS NOT TRUE) FOR UPDATE
), freed AS (
  DELETE FROM millrace.keys
   WHERE key = ANY (ARRAY(SELECT key FROM found WHERE key IS NOT NULL)) AND seq = ANY (ARRAY(SELECT seq FROM found))
), erased AS (
  UPDATE millrace.jobs j
     SET payload = NULL, result = NULL, cursor = NULL, progress = NULL, key = NULL, erased = true,
         subject = CASE WHEN j.state = 'QUEUED' THEN j.subject END,
         error = millrace.erased_error(j.error),
         executions = (SELECT jsonb_agg(e || jsonb_build_object('stack', NULL, 'log', NULL, 'error', millrace.erased_error(e->'error')) ORDER BY nth)
                         FROM jsonb_array_elements(j.executions) WITH ORDINALITY AS x(e, nth))
   WHERE j.seq = ANY (ARRAY(SELECT seq FROM found))
  RETURNING j.seq
)
SELECT (SELECT count(*) FROM erased)::int AS n,
       (SELECT count(*) FROM millrace.jobs WHERE subject = $1 AND ($2::boolean OR erased IS NOT TRUE))::int AS seen`,
};

/**
 * Looks until there is nothing new. A look may wait for a job that is being settled, and its snapshot lacks the children
 * that are committed with it: the next one has them. None comes after the last look, since whoever makes children of a
 * job (settling, a checkpoint, a cancel) writes the job's row first: that row is ours until we commit, and says `erased` then.
 */
export async function erase(
  { database }: Context,
  { subject }: { subject: string },
): Promise<number> {
  return database.transaction(async (session) => {
    let erased = 0;
    for (let isFirst = true; ; isFirst = false) {
      const [look] = await session.query<{ n: number; seen: number }>(ERASE, [subject, isFirst]);
      if (look === undefined || look.seen === 0) return erased;
      erased += look.n;
    }
  });
}
