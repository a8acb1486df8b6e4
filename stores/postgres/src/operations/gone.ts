/**
 * What goes with jobs that have ended and are removed: their place among the dead, their keys and their counts. Follows a CTE
 * `gone (seq, kind, tenant, state, key)`. Keys are deleted by their values: by ctid, one that a retry has just revived
 * would stay for good.
 */
export const WITH_GONE = `dead AS (
  DELETE FROM millrace.dead WHERE seq = ANY (ARRAY(SELECT seq FROM gone))
), keys AS (
  DELETE FROM millrace.keys
   WHERE key = ANY (ARRAY(SELECT key FROM gone WHERE key IS NOT NULL)) AND seq = ANY (ARRAY(SELECT seq FROM gone))
), counted AS (
  INSERT INTO millrace.count_delta (kind, tenant, state, n) SELECT kind, tenant, state, -count(*) FROM gone GROUP BY kind, tenant, state
)`;
