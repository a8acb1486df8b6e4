-- A client that lost the answer asks again with the same key, and gets the run that it has made. A key is its user's: the run
-- of somebody else is never answered with.
ALTER TABLE millrace.shell_query_runs ADD COLUMN key text COLLATE "C";
CREATE UNIQUE INDEX shell_query_runs_by_key ON millrace.shell_query_runs (tenant_id, user_id, key) WHERE key IS NOT NULL;
