-- What came in and how it ended, minute by minute, for people who look at the whole. History is never scanned for it.

-- docs/decisions/0030-figures.md has the figures.
-- Each replica adds up in memory and writes its own rows, again and again with their whole values while the minute lasts: to send
-- one twice changes nothing. `version` keeps a late statement of a broken connection from setting a row back.
-- Three levels, so that what most people ask for reads few rows: all kinds and tenants (tenant and kind ''), one kind over all
-- tenants (tenant ''), and one kind of one tenant.
CREATE TABLE millrace.rollups (
  level     smallint NOT NULL,
  tenant    text COLLATE "C" NOT NULL,
  minute    timestamptz NOT NULL,
  kind      text COLLATE "C" NOT NULL,
  -- Empty once the minutes of all replicas are one hour.
  replica   text COLLATE "C" NOT NULL,
  merged    boolean NOT NULL DEFAULT false,
  version   integer NOT NULL,
  -- By where the jobs came from.
  enqueued  bigint[] NOT NULL,
  succeeded bigint NOT NULL,
  failed    bigint NOT NULL,
  canceled  bigint NOT NULL,
  -- Executions that are tried again.
  retried   bigint NOT NULL,
  -- How many executions ran, and how many jobs waited, up to so long: each bound is twice the one before.
  ran       bigint[] NOT NULL,
  waited    bigint[] NOT NULL,
  PRIMARY KEY (level, tenant, minute, kind, replica)
);
CREATE INDEX rollups_by_age ON millrace.rollups (merged, minute);

-- How much waited, once a minute, by the replica that is first. Level 0: of all tenants; 2: of one.
CREATE TABLE millrace.samples (
  level      smallint NOT NULL,
  tenant     text COLLATE "C" NOT NULL,
  minute     timestamptz NOT NULL,
  waiting    bigint NOT NULL,
  due        bigint NOT NULL,
  running    bigint NOT NULL,
  -- Seconds; null: none was due.
  oldest_due float8,
  PRIMARY KEY (level, tenant, minute)
);
CREATE INDEX samples_by_age ON millrace.samples (minute);

-- Jobs that wait to be tried again, without a look at a million that are for later. Others pay nothing.
CREATE INDEX scheduled_retrying ON millrace.scheduled (kind, tenant, run_at) WHERE attempt > 0;
