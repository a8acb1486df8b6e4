-- Who did it, by what stays the same: the name of an actor may be changed, or be chosen to look like someone else's.
-- Null in entries from before. Without a default, so no row is rewritten.
ALTER TABLE millrace.audit ADD COLUMN IF NOT EXISTS subject text;
