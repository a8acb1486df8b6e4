-- Runs of shell queries, and SQL that people keep. Every time is of the database's clock, which all replicas share.

CREATE TABLE millrace.shell_query_runs (
  seq                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant              text COLLATE "C" NOT NULL,
  submitter           text COLLATE "C",
  mid                 text COLLATE "C" NOT NULL,
  eid                 text,
  sql_text            text NOT NULL,
  snippet_name        text,
  -- QUEUED -> PROCESSING -> SUCCEEDED; FAILED and CANCELED from the first two; PROCESSING -> QUEUED once, as text.
  state               text COLLATE "C" NOT NULL,
  mce_status          text,
  task_id             text,
  query_definition_id text,
  -- Known from the beginning in runs of ours: both are made of the installation and the seq.
  query_customer_key  text,
  target_de_name      text,
  columns             jsonb,
  -- The columns of the target with their types, as they were derived: a second execution makes the same target.
  target_fields       jsonb,
  -- The second try, whose target takes every value as text.
  as_text             boolean NOT NULL DEFAULT false,
  row_count           bigint,
  poll_count          integer NOT NULL DEFAULT 0,
  api_calls           double precision NOT NULL DEFAULT 0,
  error_code          text COLLATE "C",
  error_message       text,
  correlation_id      text NOT NULL,
  created_at          timestamptz NOT NULL,
  -- From then on Marketing Cloud may have begun: nobody starts the query again without looking.
  start_requested_at  timestamptz,
  -- When Marketing Cloud had taken it.
  started_at          timestamptz,
  finished_at         timestamptz,
  results_expire_at   timestamptz,
  -- What was made for the run in Marketing Cloud is no longer there.
  query_gone_at       timestamptz,
  target_gone_at      timestamptz,
  -- When upkeep last looked at it.
  touched_at          timestamptz NOT NULL,
  -- A client that lost the answer asks again with the same key, and gets the run that it has made.
  key                 text COLLATE "C"
);
-- A key is its submitter's: the run of somebody else is never answered with.
CREATE UNIQUE INDEX shell_query_runs_by_key ON millrace.shell_query_runs (tenant, coalesce(submitter, ''), key) WHERE key IS NOT NULL;
CREATE INDEX shell_query_runs_by_tenant ON millrace.shell_query_runs (tenant, seq);
CREATE INDEX shell_query_runs_by_submitter ON millrace.shell_query_runs (submitter, seq);
CREATE INDEX shell_query_runs_live ON millrace.shell_query_runs (touched_at) WHERE state IN ('QUEUED', 'PROCESSING');
CREATE INDEX shell_query_runs_unclean ON millrace.shell_query_runs (finished_at)
  WHERE finished_at IS NOT NULL AND query_gone_at IS NULL;
CREATE INDEX shell_query_runs_expiring ON millrace.shell_query_runs (results_expire_at)
  WHERE results_expire_at IS NOT NULL AND target_gone_at IS NULL;
CREATE INDEX shell_query_runs_by_end ON millrace.shell_query_runs (finished_at);

-- Part of every key in Marketing Cloud, so that installations that share a business unit leave each other's alone.
CREATE TABLE millrace.shell_query_installation (
  one       boolean PRIMARY KEY DEFAULT true CHECK (one),
  id        text NOT NULL,
  -- When all that has the installation's prefix was last listed in Marketing Cloud, for what no run knows of.
  listed_at timestamptz NOT NULL DEFAULT millrace.clock()
);
INSERT INTO millrace.shell_query_installation (id)
VALUES (substr(replace(gen_random_uuid()::text, '-', ''), 1, 8));

-- SQL under a name. A name is its owner's; among those that are shared, it is the tenant's.
CREATE TABLE millrace.query_snippets (
  tenant_id  text COLLATE "C" NOT NULL,
  name       text COLLATE "C" NOT NULL,
  user_id    text COLLATE "C" NOT NULL,
  sql_text   text NOT NULL,
  shared     boolean NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (name, tenant_id, user_id)
);
CREATE UNIQUE INDEX query_snippets_shared ON millrace.query_snippets (tenant_id, name) WHERE shared;
