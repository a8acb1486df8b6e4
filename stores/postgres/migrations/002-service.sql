-- What the service around the queue keeps: the trace that a job belongs to, and who did what.

-- A column without a default is a change of the catalogue alone: no row is rewritten, whatever the size of the history,
-- and the 25th column fits into the row header's room, so a job without a trace is no byte larger.
ALTER TABLE millrace.jobs ADD COLUMN traceparent text;

-- Written before an action and once more at its end: outcome `started`, then `done` or `refused`.
CREATE TABLE millrace.audit (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- To the millisecond, as it is shown: a filter from the time shown on finds the entry.
  at             timestamptz(3) NOT NULL,
  actor          text COLLATE "C" NOT NULL,
  action         text NOT NULL,
  target         text COLLATE "C",
  filter         jsonb,
  correlation_id text NOT NULL,
  outcome        text NOT NULL DEFAULT 'started',
  count          integer
);
-- Newest first of one person, or of one job, kind or worker. Neither has a column that the end changes.
CREATE INDEX audit_by_actor ON millrace.audit (actor, id);
CREATE INDEX audit_by_target ON millrace.audit (target, id) WHERE target IS NOT NULL;
