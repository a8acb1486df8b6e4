-- SQL under a name. A name is its owner's; among those that are shared, it is the tenant's.

CREATE TABLE millrace.query_snippets (
  tenant_id  text COLLATE "C" NOT NULL,
  name       text COLLATE "C" NOT NULL,
  user_id    text COLLATE "C" NOT NULL,
  sql_text   text NOT NULL,
  shared     boolean NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (name, tenant_id, user_id)
);
CREATE UNIQUE INDEX query_snippets_shared ON millrace.query_snippets (tenant_id, name) WHERE shared;
