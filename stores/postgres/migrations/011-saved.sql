-- What people save for themselves: views of the jobs, batches to do again. Of one person within one tenant, until they delete it.
-- compatible from: 010
CREATE TABLE millrace.saved (
  owner      text COLLATE "C" NOT NULL,
  tenant     text COLLATE "C" NOT NULL,
  what       text COLLATE "C" NOT NULL,
  name       text COLLATE "C" NOT NULL,
  -- JSON as it was sent, which nobody but its reader understands. As jsonb it could not hold \u0000.
  value      text NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (owner, tenant, what, name)
);
