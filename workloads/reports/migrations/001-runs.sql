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
  erased_at       timestamptz
);
CREATE INDEX report_runs_by_tenant ON millrace.report_runs (tenant, seq);
CREATE INDEX report_runs_by_submitter ON millrace.report_runs (submitter, seq) WHERE submitter IS NOT NULL;
CREATE INDEX report_runs_by_report ON millrace.report_runs (report, seq);
CREATE INDEX report_runs_by_correlation ON millrace.report_runs (correlation_id);
CREATE INDEX report_runs_live ON millrace.report_runs (seq) WHERE state IS NULL;
CREATE INDEX report_runs_expiring ON millrace.report_runs (expires_at) WHERE file IS NOT NULL AND file_gone_at IS NULL;
CREATE INDEX report_runs_by_end ON millrace.report_runs (finished_at);
CREATE INDEX report_runs_erased ON millrace.report_runs (seq) WHERE erased_at IS NOT NULL;
