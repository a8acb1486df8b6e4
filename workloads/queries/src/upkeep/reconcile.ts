import type { JobSummary, Queue } from '@millrace/engine';
import { type Database, type Statement, numbers } from '@millrace/store-postgres';
import { EXECUTE, POLL, executeKey } from '../jobs.ts';
import type { RunRecord } from '../runs/record.ts';
import { runRows } from '../runs/records.ts';
import type { Workshop } from '../workshop.ts';

export interface Reconciled {
  readonly checked: number;
  /** Jobs that were made again. */
  readonly restored: number;
  /** Runs that were ended, since their job was. */
  readonly ended: number;
  readonly more: boolean;
}

/** Finds runs that live and have no job that carries them on. */
export interface Reconcile {
  runOnce(): Promise<Reconciled>;
  /** How many runs lived when it last looked. */
  live(): Live;
}

export interface Live {
  readonly queued: number;
  readonly running: number;
}

// Those that nobody has looked at for a minute; by then a job that is to be made has been made. $1 limit
const LIVE: Statement = {
  name: 'queries_live_runs',
  text: `
UPDATE millrace.shell_query_runs SET touched_at = millrace.clock() WHERE seq = ANY (ARRAY(
  SELECT seq FROM millrace.shell_query_runs
   WHERE status IN ('queued', 'running') AND touched_at < millrace.clock() - interval '55 seconds'
   ORDER BY touched_at LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING seq`,
};

// $1 seq[]
const BY_SEQ: Statement = {
  name: 'queries_live_records',
  text: `seq = ANY ($1::text::bigint[]) AND status IN ('queued', 'running')`,
};

const COUNT: Statement = {
  name: 'queries_count_live',
  text: `
SELECT count(*) FILTER (WHERE status = 'queued')::int AS queued, count(*) FILTER (WHERE status = 'running')::int AS running
  FROM millrace.shell_query_runs WHERE status IN ('queued', 'running')`,
};

const AT_ONCE = 500;

export function createReconcile(parts: {
  database: Database;
  workshop: Workshop;
  queue: Pick<Queue, 'list'>;
}): Reconcile {
  const { database, workshop, queue } = parts;
  const { jobs, metrics, log } = workshop;
  let live: Live = { queued: 0, running: 0 };

  /** One job with the key lives at a time, so that asking again harms nobody. */
  async function polls(runs: readonly RunRecord[]): Promise<number> {
    const restored = await jobs.enqueuePolls(runs);
    for (let count = 0; count < restored; count += 1) metrics.reenqueued(POLL);
    return restored;
  }

  async function execute(run: RunRecord): Promise<'kept' | 'restored' | 'ended'> {
    const job = await jobOf(run);
    if (job?.state === 'FAILED') {
      const why = job.error?.message ?? 'It gave no reason.';
      await workshop.fail(run, 'run_lost', `The job that starts the query failed. ${why}`);
      return 'ended';
    }
    if (job?.state === 'CANCELED') {
      await workshop.end(run, { status: 'canceled' });
      return 'ended';
    }
    if (!(await jobs.enqueueExecute(run))) return 'kept';
    metrics.reenqueued(EXECUTE);
    return 'restored';
  }

  async function jobOf(run: RunRecord): Promise<JobSummary | undefined> {
    const filter = { kind: EXECUTE, key: executeKey(run), tenant: run.tenantId };
    const { jobs: found } = await queue.list({ filter, limit: 1 });
    return found[0];
  }

  return {
    async runOnce() {
      const [counts] = await database.query<{ queued: number; running: number }>(COUNT, []);
      live = counts ?? live;
      const rows = await database.query<{ seq: number }>(LIVE, [AT_ONCE]);
      const seqs = rows.map(({ seq }) => seq);
      const runs = await runRows.where(database, BY_SEQ, [numbers(seqs)]);
      let restored = await polls(runs.filter(({ status }) => status === 'running'));
      let ended = 0;
      for (const run of runs.filter(({ status }) => status === 'queued')) {
        const what = await execute(run);
        if (what === 'restored') restored += 1;
        if (what === 'ended') ended += 1;
      }
      const result = { checked: rows.length, restored, ended, more: rows.length === AT_ONCE };
      if (restored + ended > 0) log.warn(result, 'Runs without a job were carried on');
      return result;
    },
    live: () => live,
  };
}
