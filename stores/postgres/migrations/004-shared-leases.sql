-- One lease for all the jobs of a large claim.
--
-- Nearly all jobs of a large claim succeed, soon and without anything happening to them: for those the row in `lease` was
-- written and deleted for nothing (docs/decisions/0014-shared-leases.md). They share one row here. It is written by the
-- claim, counted down by successes, and deleted with the last of its jobs; it is never renewed.
--
-- A job is held by a shared lease while the row names it in `seqs` and not in `apart`, and its record is QUEUED. Whatever
-- else happens to a job (renewal, checkpoint, cancel, failure, retry, hand-back, a lost worker) first gives it a row in
-- `lease`, and the shared lease names it in `apart` from then on (src/operations/own-leases.ts): with an empty one, no job of
-- the claim has a row in `lease`. Only claims from one lane, of one kind and tenant, share a lease.
CREATE TABLE millrace.shared_lease (
  claim      bigint NOT NULL,
  epoch      bigint NOT NULL,
  until      timestamptz NOT NULL,
  started_at timestamptz NOT NULL,
  -- The lowest and the highest of `seqs` and of their ranks: who looks for a job need not read the lists of the others. Where
  -- jobs have priorities, the seqs of all claims overlap and their ranks hardly do.
  first      bigint NOT NULL,
  last       bigint NOT NULL,
  first_rank smallint NOT NULL,
  last_rank  smallint NOT NULL,
  -- How many jobs it holds still.
  holding    integer NOT NULL,
  kind       text COLLATE "C" NOT NULL,
  tenant     text COLLATE "C" NOT NULL,
  worker     text NOT NULL,
  apart      bigint[] NOT NULL DEFAULT '{}',
  seqs       bigint[] NOT NULL,
  PRIMARY KEY (claim, epoch)
);
-- Out of the row and as it is: counting down rewrites the rest of the row only, and compressing numbers takes time.
ALTER TABLE millrace.shared_lease ALTER COLUMN seqs SET STORAGE EXTERNAL;

-- All that runs, whichever lease it has. Reads one record for each job of a shared lease.
CREATE VIEW millrace.running AS
SELECT seq, epoch, claim, until, started_at, attempt, rank, cancel, suspect, kind, tenant, worker FROM millrace.lease
UNION ALL
SELECT m.seq, s.epoch, s.claim, s.until, s.started_at, j.attempt + 1, coalesce(-j.priority, 32767)::smallint, false, false,
       s.kind, s.tenant, s.worker
  FROM millrace.shared_lease s
       CROSS JOIN LATERAL (SELECT seq FROM unnest(s.seqs) AS m(seq) WHERE seq <> ALL (s.apart) OFFSET 0) m
       CROSS JOIN LATERAL (SELECT state, attempt, priority FROM millrace.jobs WHERE seq = m.seq OFFSET 0) j
 WHERE j.state = 'QUEUED';

-- How many run, in parts to be added up. Reads no record.
CREATE VIEW millrace.running_count AS
SELECT kind, tenant, count(*) AS n FROM millrace.lease GROUP BY kind, tenant
UNION ALL
SELECT kind, tenant, holding FROM millrace.shared_lease;
