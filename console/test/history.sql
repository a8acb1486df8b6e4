-- Jobs of the last day, as the store has them when they are over: for lists that are as long as in real life.
-- $1 how many $2 tenant
WITH past AS (
  SELECT n, (ARRAY['warehouse.sync', 'county.load', 'ledger.export', 'order.invoiced'])[1 + n % 4] AS kind,
         CASE WHEN n % 21 = 3 THEN 'FAILED' WHEN n % 50 = 1 THEN 'CANCELED' ELSE 'SUCCEEDED' END AS state,
         now() - interval '24 hours' * (1 - n / $1::float8) AS at
    FROM generate_series(1, $1::int) AS n
), made AS (
  INSERT INTO millrace.jobs (kind, tenant, state, attempt, max_attempts, created_at, run_at, started_at, finished_at, payload, result, error, key)
  SELECT kind, $2::text, state, 1, 4, at, at, at + interval '1 second', at + interval '3 seconds', '{"region": "north", "rows": 12}',
         CASE WHEN state = 'SUCCEEDED' THEN '{"rows": 12}'::jsonb END,
         CASE WHEN state = 'FAILED' THEN jsonb_build_object(
           'code', CASE WHEN n % 2 = 0 THEN 'timeout' ELSE 'no_sessions' END, 'message', 'Too many sessions: 40 of 40 are taken (503)', 'retryable', true) END,
         'order-' || n
    FROM past
  RETURNING seq, kind, state
), dead AS (
  INSERT INTO millrace.dead (seq, kind, state) SELECT seq, kind, state FROM made WHERE state <> 'SUCCEEDED'
)
INSERT INTO millrace.count_delta (kind, tenant, state, n) SELECT kind, $2::text, state, count(*) FROM made GROUP BY kind, state
