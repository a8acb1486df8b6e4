-- When all that has the installation's prefix was last listed in Marketing Cloud, for what no run knows of.
-- compatible from: 003
ALTER TABLE millrace.shell_query_installation ADD COLUMN listed_at timestamptz NOT NULL DEFAULT millrace.clock();
