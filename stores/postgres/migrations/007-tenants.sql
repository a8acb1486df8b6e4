-- Tenants are a boundary, and members see what they have submitted: lists that are led by a tenant or by a submitter.

-- Both indexes have columns that settling never changes, so settling still touches no index. Jobs of the only tenant, and
-- jobs that nobody has submitted (those of schedules and of programs that enqueue by themselves), pay nothing.
CREATE INDEX jobs_by_tenant ON millrace.jobs (tenant, seq) WHERE tenant <> '';
CREATE INDEX jobs_by_submitter ON millrace.jobs (submitter, seq) WHERE submitter IS NOT NULL;

-- Whose jobs and documents an action was about; null: of nobody in particular, as when a worker is stopped. Without a
-- default, so no row is rewritten.
ALTER TABLE millrace.audit ADD COLUMN tenants text[];
