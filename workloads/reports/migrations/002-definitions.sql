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
