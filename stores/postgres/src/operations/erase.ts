import type { Statement } from '../database.ts';
import type { Context } from './context.ts';

// Everything that may be about the person goes, and `erased` keeps a running execution from writing it back. A job that
// has not run yet keeps its place, is claimed without data and fails. Its key goes too: it may be a name or a number.
// $1 subject
const ERASE: Statement = {
  name: 'millrace_erase',
  text: `
WITH found AS MATERIALIZED (
  SELECT seq, key, kind, tenant FROM millrace.jobs WHERE subject = $1 FOR UPDATE
), freed AS (
  DELETE FROM millrace.keys
   WHERE key = ANY (ARRAY(SELECT key FROM found WHERE key IS NOT NULL)) AND seq = ANY (ARRAY(SELECT seq FROM found))
), erased AS (
  UPDATE millrace.jobs j
     SET payload = NULL, result = NULL, cursor = NULL, progress = NULL, key = NULL, erased = true,
         error = millrace.erased_error(j.error),
         executions = (SELECT jsonb_agg(e || jsonb_build_object('stack', NULL, 'error', millrace.erased_error(e->'error')) ORDER BY nth)
                         FROM jsonb_array_elements(j.executions) WITH ORDINALITY AS x(e, nth))
   WHERE j.seq = ANY (ARRAY(SELECT seq FROM found))
  RETURNING j.seq
)
SELECT count(*)::int AS n FROM erased`,
};

export async function erase(
  { database }: Context,
  { subject }: { subject: string },
): Promise<number> {
  const [row] = await database.query<{ n: number }>(ERASE, [subject]);
  return row?.n ?? 0;
}
