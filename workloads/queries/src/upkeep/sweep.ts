import { MarketingCloudError } from '@millrace/marketing-cloud';
import { type Database, type Statement, texts } from '@millrace/store-postgres';
import { isExpired } from '../cleanup.ts';
import type { Mids } from '../mids.ts';
import type { Keys } from '../runs/asset-keys.ts';
import { type QueryRunRecord, queryRuns } from '../runs/query-run.ts';
import type { Workshop } from '../workshop.ts';

export interface Swept {
  /** Runs that were cleaned up after. */
  readonly cleaned: number;
  /** Query definitions and data extensions that no run owns. */
  readonly strays: number;
  /** Runs that were removed from the history. */
  readonly pruned: number;
  readonly more: boolean;
}

/**
 * Deletes what runs have left in Marketing Cloud. What a run made is known by the run, so most of it costs no question: runs
 * that are over and not clean, and results that have expired. Now and then all that has our prefix is listed as well, for
 * what no run knows of: made by an execution that had lost its lease, or whose run is gone.
 */
export interface Sweep {
  runOnce(): Promise<Swept>;
  /** The listing, without waiting for its time. */
  strays(): Promise<number>;
}

// Two minutes for the poll that ended the run to clean up itself. $1 MIDs $2 limit
const UNCLEAN: Statement = {
  name: 'queries_unclean_runs',
  text: `
UPDATE millrace.shell_query_runs SET touched_at = millrace.clock() WHERE seq = ANY (ARRAY(
  SELECT seq FROM millrace.shell_query_runs
   WHERE mid = ANY ($1::text::text[]) AND touched_at < millrace.clock() - interval '50 seconds'
     AND ((finished_at < millrace.clock() - interval '2 minutes' AND query_gone_at IS NULL)
       OR (results_expire_at <= millrace.clock() AND finished_at < millrace.clock() - interval '2 minutes'
           AND target_gone_at IS NULL))
   LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING seq`,
};

// Whoever gets the row lists, in the name of all replicas. In the database: a process may live for less than the hour.
const LIST: Statement = {
  name: 'queries_list_strays',
  text: `
UPDATE millrace.shell_query_installation SET listed_at = millrace.clock()
 WHERE listed_at <= millrace.clock() - interval '1 hour' RETURNING one`,
};

const AT_ONCE = 100;

export function createSweep(parts: {
  database: Database;
  keys: Keys;
  mids: Mids;
  workshop: Workshop;
  keepRunsMs: number;
}): Sweep {
  const { database, keys, mids, workshop, keepRunsMs } = parts;
  const { businessUnit, cleanup, metrics, log, runs: store } = workshop;

  const recordsOf = (seqs: readonly number[]): Promise<QueryRunRecord[]> =>
    queryRuns.bySeq(database, seqs);

  async function clean(): Promise<number> {
    const rows = await database.query<{ seq: number }>(UNCLEAN, [texts(mids.all()), AT_ONCE]);
    const tally = { calls: 0 };
    for (const run of await recordsOf(rows.map(({ seq }) => seq))) {
      await workshop.meter.during(tally, () => cleanup.after(run));
      await store.addCalls(run.seq, tally.calls);
      tally.calls = 0;
    }
    return rows.length;
  }

  /** Keys are read after the listing: what is listed was made by a run that is there by now, or by none. */
  async function straysOf(mid: string): Promise<number> {
    const unit = businessUnit(mid);
    const queries = await unit.queries(keys.prefix);
    const targets = await unit.dataExtensions(keys.prefix);
    const seqs = [...queries, ...targets].flatMap(({ customerKey }) => {
      const seq = keys.seqOf(customerKey);
      return seq === null ? [] : [seq];
    });
    const runs = new Map((await recordsOf([...new Set(seqs)])).map((run) => [run.seq, run]));
    const isStray = (key: string, needs: (run: QueryRunRecord) => boolean): boolean => {
      const seq = keys.seqOf(key);
      const run = seq === null ? undefined : runs.get(seq);
      return seq !== null && !(run !== undefined && needs(run));
    };
    let count = 0;
    for (const { objectId, customerKey } of queries)
      if (
        isStray(
          customerKey,
          (run) => run.finishedAt === null && run.queryCustomerKey === customerKey,
        )
      ) {
        await unit.deleteQuery(objectId);
        metrics.swept('query', 1);
        count += 1;
      }
    for (const { customerKey } of targets)
      if (isStray(customerKey, (run) => !isExpired(run) && run.targetDeName === customerKey)) {
        await unit.deleteDataExtension(customerKey);
        metrics.swept('data_extension', 1);
        count += 1;
      }
    return count;
  }

  async function strays(): Promise<number> {
    let count = 0;
    for (const mid of mids.all())
      try {
        count += await straysOf(mid);
      } catch (error) {
        // A business unit that is away must not keep the others from being swept.
        if (!(error instanceof MarketingCloudError)) throw error;
        log.warn({ mid, code: error.code }, 'A business unit could not be swept');
      }
    return count;
  }

  async function straysInTime(): Promise<number> {
    const isTime = (await database.query(LIST, [])).length > 0;
    return isTime ? strays() : 0;
  }

  return {
    async runOnce() {
      const cleaned = await clean();
      const found = await straysInTime();
      const pruned = await queryRuns.prune(database, keepRunsMs, AT_ONCE);
      const result = {
        cleaned,
        strays: found,
        pruned,
        more: cleaned === AT_ONCE || pruned === AT_ONCE,
      };
      if (cleaned + found + pruned > 0) log.info(result, 'Swept up after runs');
      return result;
    },
    strays,
  };
}
