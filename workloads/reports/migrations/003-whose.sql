-- On whose behalf a run reads, as it stood when its job was made: who may have the file depends on it, also when the job is gone.
ALTER TABLE millrace.report_runs ADD COLUMN identity jsonb;

-- Part of the keys on object storage, so that installations that share a bucket leave each other's files alone.
CREATE TABLE millrace.report_installation (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  id  text NOT NULL
);
INSERT INTO millrace.report_installation (id)
VALUES (substr(replace(gen_random_uuid()::text, '-', ''), 1, 8));
