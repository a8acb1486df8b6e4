-- A day as it may have been, for pictures: what came in and how it ended by the minute, how much waited, and replicas beside the one
-- that is really there. Only tables that people look at: nothing here is ever run.

-- More by day than by night, and a bad quarter of an hour just now.
WITH minute AS (
  SELECT date_trunc('minute', now()) - n * interval '1 minute' AS at, n,
         round(74 + 38 * sin(n / 95.0) + 11 * sin(n / 3.1) + 7 * sin(n * 1.7))::int AS jobs,
         CASE WHEN n BETWEEN 3 AND 9 THEN 1 ELSE 0 END AS bad
    FROM generate_series(0, 1440) AS n
), each AS (
  SELECT at, jobs, bad, n, level, kind, (jobs * part)::int AS share
    FROM minute, (VALUES (0, '', 1.0), (1, 'document', 0.55), (1, 'warehouse.sync', 0.3), (1, 'ledger.export', 0.15)) AS k(level, kind, part)
)
INSERT INTO millrace.rollups (level, tenant, minute, kind, replica, version, enqueued, succeeded, failed, canceled, retried, ran, waited)
SELECT level, '', at, kind, 'prod-2', 1,
       ARRAY[share * 42 / 100, share * 28 / 100, share * 16 / 100, share * 9 / 100, share * 5 / 100, 0],
       share - bad * 2 - (n % 11) / 9, bad * 2 + (n % 11) / 9, (n % 17) / 16, share * (3 + 7 * bad) / 100 + n % 2,
       ARRAY[0, 0, 0, 0, 0, 0, share / 12, share / 6, share / 3, share / 4, share / 9, share / 20 + bad * 2, bad * 3],
       ARRAY[0, 0, share / 6, share / 3, share / 3, share / 6, share / 20]
  FROM each;

-- The same time a week ago: an eighth less.
INSERT INTO millrace.rollups (level, tenant, minute, kind, replica, merged, version, enqueued, succeeded, failed, canceled, retried, ran, waited)
SELECT 0, '', date_trunc('hour', now()) - interval '7 days' + n * interval '1 hour', '', '', true, 0,
       ARRAY[1500, 1000, 600, 350, 200, 0], 3900, 30, 8, 140, ARRAY[0, 0, 0, 0, 0, 0, 300, 700, 1400, 900, 400, 200], ARRAY[0, 0, 900, 1400, 1200, 400]
  FROM generate_series(-3, 1) AS n;

INSERT INTO millrace.samples (level, tenant, minute, waiting, due, running, oldest_due)
SELECT 0, '', date_trunc('minute', now()) - n * interval '1 minute',
       round(46 + 22 * sin(n / 90.0) + 9 * sin(n / 2.3)) + CASE WHEN n BETWEEN 2 AND 8 THEN 60 ELSE 0 END, 12, 21,
       greatest(2, 9 + 5 * sin(n / 4.0) + CASE WHEN n BETWEEN 3 AND 7 THEN 29 ELSE 0 END)
  FROM generate_series(1, 1440) AS n
ON CONFLICT DO NOTHING;

-- Three beside the one that runs; the last has fallen silent, and another has what it had.
INSERT INTO millrace.workers (worker, kinds, stats, seen_at)
SELECT id, ARRAY['document', 'warehouse.sync', 'ledger.export', 'county.load'],
       jsonb_build_object(
         'id', id, 'state', 'running', 'version', '0.1.0', 'uptimeMs', 5400000, 'inFlight', busy, 'lastPoll', extract(epoch FROM now()) * 1000,
         'totals', jsonb_build_object('processed', 18204 + busy, 'succeeded', 18150, 'failed', 54, 'retries', 611),
         'jobs', '[]'::jsonb, 'pools', jsonb_build_array(jsonb_build_object('name', 'default', 'concurrency', 8, 'inFlight', busy)),
         'tookOver', CASE WHEN id = 'prod-2' THEN jsonb_build_array(jsonb_build_object(
           'worker', 'prod-4', 'at', extract(epoch FROM now() - interval '3 minutes') * 1000, 'count', 6, 'jobs', '[]'::jsonb)) ELSE '[]'::jsonb END),
       CASE WHEN id = 'prod-4' THEN now() - interval '4 minutes' ELSE now() END
  FROM (VALUES ('prod-2', 7), ('prod-3', 5), ('prod-4', 6)) AS r(id, busy);

-- Two causes that somebody has to look at, one of them old.
WITH cause AS (
  SELECT n, kind, code, message, at FROM (VALUES
    ('document', 'conversion_timeout', 'LibreOffice did not end within 60 s; template year-end-statement, version 7', 41, interval '40 seconds'),
    ('order.invoiced', 'unauthorized', 'https://hooks.weirbank.example answered 401: the secret has ended', 7, interval '100 minutes')
  ) AS c(kind, code, message, jobs, every), LATERAL (SELECT n, now() - n * every AS at FROM generate_series(1, jobs) AS n) AS each
), failed AS (
  INSERT INTO millrace.jobs (kind, tenant, state, attempt, max_attempts, created_at, run_at, started_at, finished_at, payload, error, key)
  SELECT kind, '', 'FAILED', 4, 4, at - interval '2 minutes', at, at - interval '61 seconds', at, '{}',
         jsonb_build_object('code', code, 'message', message, 'retryable', false), kind || '-' || (7000 + n)
    FROM cause ORDER BY at
  RETURNING seq, kind, state
), dead AS (INSERT INTO millrace.dead (seq, kind, state) SELECT seq, kind, state FROM failed)
INSERT INTO millrace.count_delta (kind, tenant, state, n) SELECT kind, '', state, count(*) FROM failed GROUP BY kind, state;

-- What the others run: their slots, as jobs with leases that outlive the pictures.
WITH begun AS (
  INSERT INTO millrace.jobs (kind, tenant, state, attempt, max_attempts, created_at, run_at, started_at, payload, progress, key)
  SELECT kind, '', 'QUEUED', 0, 4, now() - ago, now() - ago, NULL, '{}',
         CASE WHEN done > 0 THEN jsonb_build_object('done', done, 'total', total) END, key
    FROM (VALUES
      ('document.batch', 'Year-end leave statements', interval '9 minutes', 1834, 2110), ('ledger.export', 'Ledger, third quarter', interval '6 minutes', 19, 64),
      ('report', 'Stock by warehouse', interval '4 minutes', 64, 100), ('document', 'Offer Q-20931', interval '2 seconds', 0, 0),
      ('document', 'Contract C-1201', interval '1 second', 0, 0), ('document', 'Contract C-1202', interval '1 second', 0, 0),
      ('document', 'Statement S-4410', interval '3 seconds', 0, 0), ('document', 'Statement S-4411', interval '2 seconds', 0, 0),
      ('document', 'Statement S-4412', interval '2 seconds', 0, 0), ('document', 'Statement S-4413', interval '1 second', 0, 0),
      ('document', 'Offer Q-20932', interval '1 second', 0, 0), ('document', 'Offer Q-20933', interval '1 second', 0, 0)
    ) AS r(kind, key, ago, done, total)
  RETURNING seq, kind, created_at
), leased AS (
  INSERT INTO millrace.lease (seq, epoch, claim, until, started_at, attempt, nth, rank, renewed, kind, tenant, worker)
  SELECT seq, nextval('millrace.epoch'), 1, now() + interval '2 hours', created_at, 1, 1, 32767, true, kind, '',
         CASE WHEN row_number() OVER (ORDER BY seq) <= 7 THEN 'prod-2' ELSE 'prod-3' END
    FROM begun
)
INSERT INTO millrace.count_delta (kind, tenant, state, n) SELECT kind, '', 'OPEN', count(*) FROM begun GROUP BY kind;
