-- Whose a name is. What people submit is theirs by name, and a name can be given to somebody else, or be changed: it
-- belongs to the subject that came with it first, and a subject keeps the name that it came with first.
CREATE TABLE millrace.names (
  name text PRIMARY KEY,
  subject text NOT NULL UNIQUE,
  since timestamptz NOT NULL DEFAULT now()
);
