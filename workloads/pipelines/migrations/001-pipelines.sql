-- Runs of pipelines and their steps. Every time is of the database's clock, which all replicas share.

CREATE TABLE millrace.pipeline_runs (
  seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant      text COLLATE "C" NOT NULL,
  submitter   text COLLATE "C",
  -- As the token said when the run was submitted.
  roles       jsonb NOT NULL,
  claims      jsonb NOT NULL,
  pipeline    text COLLATE "C" NOT NULL,
  -- Of the file, and what it said: a file may change while a run of it rests. As json, which keeps the order of the file.
  digest      text NOT NULL,
  plan        json NOT NULL,
  -- As people gave and see them, and as the steps refer to them.
  parameters  json NOT NULL,
  "values"    json NOT NULL,
  -- QUEUED until a step begins -> PROCESSING -> SUCCEEDED, FAILED or CANCELED; back again by a resume, with a new revision.
  state       text COLLATE "C" NOT NULL,
  revision    integer NOT NULL DEFAULT 1,
  -- Steps that were over when the revision began.
  passed      jsonb NOT NULL DEFAULT '[]',
  key         text COLLATE "C",
  schedule    text,
  created_at  timestamptz NOT NULL,
  -- Of the step that failed.
  error_code    text COLLATE "C",
  error_message text,
  started_at  timestamptz,
  finished_at timestamptz,
  -- When something was written about it, or upkeep last looked.
  touched_at  timestamptz NOT NULL
);
CREATE INDEX pipeline_runs_by_tenant ON millrace.pipeline_runs (tenant, seq);
CREATE INDEX pipeline_runs_by_submitter ON millrace.pipeline_runs (submitter, seq);
CREATE INDEX pipeline_runs_by_pipeline ON millrace.pipeline_runs (pipeline, seq);
CREATE INDEX pipeline_runs_live ON millrace.pipeline_runs (touched_at) WHERE state IN ('QUEUED', 'PROCESSING');
CREATE INDEX pipeline_runs_by_end ON millrace.pipeline_runs (finished_at) WHERE finished_at IS NOT NULL;
-- A key is its submitter's: the run of somebody else is never answered with.
CREATE UNIQUE INDEX pipeline_runs_by_key ON millrace.pipeline_runs (tenant, coalesce(submitter, ''), key) WHERE key IS NOT NULL;

-- A step is written under the lock of its run, by the execution that has it: its job, in the epoch of its lease.
CREATE TABLE millrace.pipeline_steps (
  run           bigint NOT NULL REFERENCES millrace.pipeline_runs ON DELETE CASCADE,
  step          text COLLATE "C" NOT NULL,
  place         integer NOT NULL,
  state         text COLLATE "C" NOT NULL DEFAULT 'waiting',
  -- Counted up by each resume; part of the key with which its work is begun.
  try           integer NOT NULL DEFAULT 1,
  job           text COLLATE "C",
  epoch         bigint NOT NULL DEFAULT 0,
  -- Its work was about to be begun: it may have been, although nobody has kept the id.
  starting      boolean NOT NULL DEFAULT false,
  started_id    text,
  -- What was begun and failed was tried again since the resume.
  retried       boolean NOT NULL DEFAULT false,
  -- The run was cancelled, and what the step has begun is still to be.
  stop_pending  boolean NOT NULL DEFAULT false,
  output        json,
  progress      jsonb,
  error_code    text COLLATE "C",
  error_message text,
  started_at    timestamptz,
  finished_at   timestamptz,
  PRIMARY KEY (run, step)
);
CREATE INDEX pipeline_steps_to_stop ON millrace.pipeline_steps (run) WHERE stop_pending;

-- Files beside a pipeline's own, such as templates, as they were when a run was submitted.
CREATE TABLE millrace.pipeline_files (
  sha256     text COLLATE "C" PRIMARY KEY,
  bytes      bytea NOT NULL,
  created_at timestamptz NOT NULL
);
ALTER TABLE millrace.pipeline_files ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE millrace.pipeline_run_files (
  run    bigint NOT NULL REFERENCES millrace.pipeline_runs ON DELETE CASCADE,
  name   text COLLATE "C" NOT NULL,
  sha256 text COLLATE "C" NOT NULL REFERENCES millrace.pipeline_files,
  PRIMARY KEY (run, name)
);
CREATE INDEX pipeline_run_files_by_file ON millrace.pipeline_run_files (sha256);
