-- What people do to many jobs, to replicas and to what waits; and what is kept for them to look at.

-- Lists of what a schedule made. Its column never changes, so settling touches no index; other jobs pay nothing.
CREATE INDEX jobs_by_schedule ON millrace.jobs (schedule, seq) WHERE schedule IS NOT NULL;

-- Why something is held back, in the words of who did it. Without a default, so no row is rewritten.
ALTER TABLE millrace.paused ADD COLUMN reason text;
ALTER TABLE millrace.schedules ADD COLUMN paused_reason text;

-- What workers are to do: a worker that is not here is to run.
CREATE TABLE millrace.steered (
  worker     text PRIMARY KEY,
  aim        text NOT NULL,
  steered_by text,
  reason     text,
  since      timestamptz NOT NULL
);

-- An execution with its lease's epoch and what it has logged. Replicas of before call the one without the two.
CREATE FUNCTION millrace.with_execution(executions jsonb, attempt integer, worker text, started_at timestamptz,
                                        outcome text, error jsonb, stack text, epoch bigint, log jsonb) RETURNS jsonb
  LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN jsonb_array_length(executions) >= 20 THEN executions - 0 ELSE coalesce(executions, '[]') END
    || jsonb_build_array(jsonb_build_object(
         'attempt', attempt, 'worker', worker, 'outcome', outcome, 'error', error, 'stack', stack, 'epoch', epoch, 'log', log,
         'startedAt', round(date_part('epoch', started_at) * 1000), 'endedAt', round(date_part('epoch', millrace.clock()) * 1000)))
$$;

-- Actions on many jobs: what was frozen, the job that does it, what it has done.
CREATE TABLE millrace.bulk (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at        timestamptz(3) NOT NULL,
  -- Where its job is, and whose it is.
  tenant    text COLLATE "C" NOT NULL,
  submitter text,
  -- Whose jobs it is about: of these tenants (null: of any), of this submitter (null: of anybody).
  tenants   text[],
  owner     text,
  -- Action, filter and priority, as they were asked for; counts; the jobs, unless there are too many.
  asked     jsonb NOT NULL,
  frozen    jsonb NOT NULL,
  ids       text[],
  job       text,
  undone_by text,
  result    jsonb
);

-- What it has changed and can be undone.
CREATE TABLE millrace.bulk_change (
  bulk   bigint NOT NULL REFERENCES millrace.bulk ON DELETE CASCADE,
  id     text COLLATE "C" NOT NULL,
  before smallint,
  PRIMARY KEY (bulk, id)
);
