-- When the kept token itself ends; NULL where it does not say. Then it is of no use to anybody, and is removed although the run may
-- still wait.
ALTER TABLE millrace.report_runs ADD COLUMN token_expires_at timestamptz;
CREATE INDEX report_runs_tokens ON millrace.report_runs (token_expires_at) WHERE token IS NOT NULL;
