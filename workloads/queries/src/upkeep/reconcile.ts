import type { JobSummary, Queue } from '@millrace/engine';
import type { LiveCounts } from '@millrace/runs';
import type { Database } from '@millrace/store-postgres';
import { EXECUTE, POLL, executeKey } from '../jobs.ts';
import { type QueryRunRecord, queryRuns } from '../runs/query-run.ts';
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
  live(): LiveCounts;
}

const AT_ONCE = 500;

export function createReconcile(parts: {
  database: Database;
  workshop: Workshop;
  queue: Pick<Queue, 'list'>;
}): Reconcile {
  const { database, workshop, queue } = parts;
  const { jobs, metrics, log } = workshop;
  let live: LiveCounts = { QUEUED: 0, PROCESSING: 0 };

  /** One job with the key lives at a time, so that asking again harms nobody. */
  async function polls(runs: readonly QueryRunRecord[]): Promise<number> {
    const restored = await jobs.enqueuePolls(runs);
    for (let count = 0; count < restored; count += 1) metrics.reenqueued(POLL);
    return restored;
  }

  async function execute(run: QueryRunRecord): Promise<'kept' | 'restored' | 'ended'> {
    const job = await jobOf(run);
    if (job?.state === 'FAILED') {
      const why = job.error?.message ?? 'It gave no reason.';
      await workshop.fail(run, 'run_lost', `The job that starts the query failed. ${why}`);
      return 'ended';
    }
    if (job?.state === 'CANCELED') {
      await workshop.end(run, { state: 'CANCELED' });
      return 'ended';
    }
    if (!(await jobs.enqueueExecute(run))) return 'kept';
    metrics.reenqueued(EXECUTE);
    return 'restored';
  }

  async function jobOf(run: QueryRunRecord): Promise<JobSummary | undefined> {
    const filter = { kind: EXECUTE, key: executeKey(run), tenant: run.tenant };
    const { jobs: found } = await queue.list({ filter, limit: 1 });
    return found[0];
  }

  return {
    async runOnce() {
      live = await queryRuns.countLive(database);
      const runs = await queryRuns.untouched(database, AT_ONCE);
      let restored = await polls(runs.filter(({ state }) => state === 'PROCESSING'));
      let ended = 0;
      for (const run of runs.filter(({ state }) => state === 'QUEUED')) {
        const what = await execute(run);
        if (what === 'restored') restored += 1;
        if (what === 'ended') ended += 1;
      }
      const result = { checked: runs.length, restored, ended, more: runs.length === AT_ONCE };
      if (restored + ended > 0) log.warn(result, 'Runs without a job were carried on');
      return result;
    },
    live: () => live,
  };
}
