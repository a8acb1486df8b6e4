-- Leases that cannot come twice, jobs whose worker was lost, executions that are kept, erasure that holds.

-- A lease is named by its claim too: a number that the worker has for itself. Epochs alone repeat where a crash or a
-- fail-over loses commits. Written anew rather than altered: a dropped column would cost each row 8 bytes for ever. What
-- is leased while this runs is taken over when its time is over.
ALTER TABLE millrace.lease RENAME TO lease_before;
ALTER TABLE millrace.lease_before RENAME CONSTRAINT lease_pkey TO lease_before_pkey;
CREATE TABLE millrace.lease (
  seq        bigint PRIMARY KEY,
  epoch      bigint NOT NULL,
  claim      bigint NOT NULL,
  until      timestamptz NOT NULL,
  started_at timestamptz NOT NULL,
  -- Starts again when the cursor moves on ...
  attempt    integer NOT NULL,
  -- ... and this one does not: the attempt that the handler was given.
  nth        integer NOT NULL,
  -- Of the last checkpoint.
  step       integer NOT NULL DEFAULT 0,
  rank       smallint NOT NULL,
  cancel     boolean NOT NULL DEFAULT false,
  -- At least once: the job was begun.
  renewed    boolean NOT NULL DEFAULT false,
  -- Claimed alone, since a worker was lost with it before.
  suspect    boolean NOT NULL DEFAULT false,
  -- Of a kind with a quota of running jobs per tenant.
  limited    boolean NOT NULL DEFAULT false,
  kind       text COLLATE "C" NOT NULL,
  tenant     text COLLATE "C" NOT NULL,
  worker     text NOT NULL
);
INSERT INTO millrace.lease (seq, epoch, claim, until, started_at, attempt, nth, step, rank, cancel, renewed, kind, tenant, worker)
SELECT seq, epoch, 0, until, started_at, attempt, attempt, step, rank, cancel, true, kind, tenant, worker FROM millrace.lease_before;
DROP TABLE millrace.lease_before;
-- Counts a tenant's running jobs without reading the leases of others. Kinds without a quota pay nothing.
CREATE INDEX lease_by_tenant ON millrace.lease (kind, tenant) WHERE limited;

-- Jobs whose worker was lost. They wait apart from `ready`, since each is claimed alone.
CREATE TABLE millrace.suspect (
  kind    text COLLATE "C" NOT NULL,
  rank    smallint NOT NULL,
  seq     bigint NOT NULL,
  tenant  text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  PRIMARY KEY (kind, rank, seq)
);

-- Led by priority: what is due goes to `ready` in that order, however much became due before it. The ranks in use are
-- few, and found by hopping over the index.
ALTER TABLE millrace.scheduled
  DROP CONSTRAINT scheduled_pkey,
  ADD PRIMARY KEY (rank, run_at, seq);
-- SCHEDULED counts, of the OPEN ones, those that stand in `scheduled`.
INSERT INTO millrace.count_delta (kind, tenant, state, n)
SELECT kind, tenant, 'SCHEDULED', count(*) FROM millrace.scheduled GROUP BY kind, tenant;

-- Columns without a default, still within the row header's room: a job that succeeds at once is no byte larger.
ALTER TABLE millrace.jobs RENAME COLUMN epoch TO settled_by;
COMMENT ON COLUMN millrace.jobs.settled_by IS 'The claim that settled it last: tells "already settled by me" from "stale".';
ALTER TABLE millrace.jobs
  -- The last 20 executions that did not end well at once, as a list.
  ADD COLUMN executions jsonb,
  -- True once its data is erased: nothing that a running execution still writes is kept.
  ADD COLUMN erased boolean;

ALTER TABLE millrace.keys
  -- How long after its success the job keeps its key. A job is not forgotten before that.
  ADD COLUMN window_ms float8 NOT NULL DEFAULT 0,
  -- When a retry by hand last gave the job a new life: its older end does not free the key.
  ADD COLUMN revived_at timestamptz;

CREATE FUNCTION millrace.with_execution(executions jsonb, attempt integer, worker text, started_at timestamptz,
                                        outcome text, error jsonb, stack text) RETURNS jsonb
  LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN jsonb_array_length(executions) >= 20 THEN executions - 0 ELSE coalesce(executions, '[]') END
    || jsonb_build_array(jsonb_build_object(
         'attempt', attempt, 'worker', worker, 'outcome', outcome, 'error', error, 'stack', stack,
         'startedAt', round(date_part('epoch', started_at) * 1000), 'endedAt', round(date_part('epoch', millrace.clock()) * 1000)))
$$;

-- The words of an error may be about a person; its code is not.
CREATE FUNCTION millrace.erased_error(error jsonb) RETURNS jsonb
  LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN error IS NULL OR error = 'null' THEN error ELSE jsonb_set(error, '{message}', '"erased"') END $$;

-- Epochs are a sequence that follows the clock (microseconds since 1970): where a fail-over loses commits, the next
-- epochs are above the lost ones all the same. A second's margin keeps a slow caller from setting the sequence back.
CREATE FUNCTION millrace.raise_epoch() RETURNS void
  LANGUAGE sql VOLATILE AS $$
  SELECT pg_advisory_xact_lock(hashtext('millrace.epoch'));
  SELECT setval('millrace.epoch', micros) FROM (
    SELECT (date_part('epoch', clock_timestamp()) * 1000000)::bigint AS micros, last_value FROM millrace.epoch) e
   WHERE last_value < micros - 1000000;
$$;
