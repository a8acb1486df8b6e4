-- Runs of reports. A run is a job of the kind `report`, and has its number; whether it waits, runs or has ended is the job's to
-- say. The row has what people ask about and what outlives the job. Every time is of the database's clock.

CREATE TABLE millrace.report_runs (
  -- The number of the job, and its id, whose prefix is the store's.
  seq             bigint PRIMARY KEY,
  job             text COLLATE "C" NOT NULL,
  report          text COLLATE "C" NOT NULL,
  -- The definition that it was submitted with: report_definitions.
  digest          text COLLATE "C" NOT NULL,
  title           text NOT NULL,
  -- As they were given; once it has begun, as they are: `yesterday` is a day then.
  parameters      jsonb NOT NULL,
  tenant          text COLLATE "C" NOT NULL,
  submitter       text COLLATE "C",
  correlation_id  text COLLATE "C" NOT NULL,
  schedule        text,
  parents         jsonb,
  format          text COLLATE "C" NOT NULL,
  compression     text COLLATE "C",
  -- The token of the submitter, encrypted, where the report keeps it; gone with the end of the run. Not in the job, which the
  -- API shows.
  token           text,
  -- The lease epoch of the newest execution that has begun: what an older one still writes is refused.
  epoch           bigint,
  begun_at        timestamptz,
  resumes         integer NOT NULL DEFAULT 0,
  -- How far it is, about once a second; where it goes on after a crash is in the job's cursor.
  rows            bigint,
  bytes           bigint,
  chunks          integer,
  total_rows      bigint,
  rows_per_second double precision,
  -- Of the whole file.
  sha256          text COLLATE "C",
  file            jsonb,
  file_name       text,
  note            text,
  -- How the job ended, noted for the time when it is no longer kept. NULL while it lives.
  state           text COLLATE "C",
  error_code      text COLLATE "C",
  error_message   text,
  created_at      timestamptz NOT NULL,
  started_at      timestamptz,
  finished_at     timestamptz,
  expires_at      timestamptz,
  file_gone_at    timestamptz,
  -- Someone is to be forgotten with it: file, job and row go.
  erased_at       timestamptz,
  -- On whose behalf it reads, as it stood when its job was made: who may have the file depends on it, also when the job is gone.
  identity        jsonb,
  -- When the kept token itself ends; NULL where it does not say. Then it is of no use to anybody, and is removed although the run
  -- may still wait.
  token_expires_at timestamptz
);
CREATE INDEX report_runs_by_tenant ON millrace.report_runs (tenant, seq);
CREATE INDEX report_runs_by_submitter ON millrace.report_runs (submitter, seq) WHERE submitter IS NOT NULL;
CREATE INDEX report_runs_by_report ON millrace.report_runs (report, seq);
CREATE INDEX report_runs_by_correlation ON millrace.report_runs (correlation_id);
CREATE INDEX report_runs_live ON millrace.report_runs (seq) WHERE state IS NULL;
CREATE INDEX report_runs_expiring ON millrace.report_runs (expires_at) WHERE file IS NOT NULL AND file_gone_at IS NULL;
CREATE INDEX report_runs_by_end ON millrace.report_runs (finished_at);
CREATE INDEX report_runs_erased ON millrace.report_runs (seq) WHERE erased_at IS NOT NULL;
CREATE INDEX report_runs_tokens ON millrace.report_runs (token_expires_at) WHERE token IS NOT NULL;

-- What the file of a report said, by the digest of it: a run finds the definition that it was submitted with, also after the
-- file has changed, and in every replica.
CREATE TABLE millrace.report_definitions (
  digest     text COLLATE "C" PRIMARY KEY,
  name       text COLLATE "C" NOT NULL,
  -- JSON whose SHA-256 is the digest: as text, since jsonb would write it otherwise.
  definition text NOT NULL,
  created_at timestamptz NOT NULL,
  -- In force until then at least: it is kept as long as it is in some catalogue, or a run names it.
  seen_at    timestamptz NOT NULL
);

-- Part of the keys on object storage, so that installations that share a bucket leave each other's files alone.
CREATE TABLE millrace.report_installation (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  id  text NOT NULL
);
INSERT INTO millrace.report_installation (id)
VALUES (substr(replace(gen_random_uuid()::text, '-', ''), 1, 8));

-- Files of reports where the queue is a server: every replica reads what any of them wrote. Chunks begin where the one before ends.
CREATE TABLE millrace.report_files (
  seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name       text COLLATE "C" NOT NULL UNIQUE,
  created_at timestamptz NOT NULL
);
CREATE INDEX report_files_by_age ON millrace.report_files (created_at, seq);

CREATE TABLE millrace.report_chunks (
  file  bigint NOT NULL REFERENCES millrace.report_files ON DELETE CASCADE,
  begin bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (file, begin)
);
-- Much of it is packed already, and pglz on the rest costs more than the disk: a range is read without its beginning.
ALTER TABLE millrace.report_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Folders that servers keep files in, each with the id that lies in it: two ids are two folders, and each server has the files of one.
CREATE TABLE millrace.report_folders (
  id      text COLLATE "C" PRIMARY KEY,
  host    text NOT NULL,
  folder  text NOT NULL,
  seen_at timestamptz NOT NULL
);
