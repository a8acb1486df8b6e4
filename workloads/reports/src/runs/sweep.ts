import type { Log, Queue } from '@millrace/engine';
import type { Database, Statement } from '@millrace/store-postgres';
import { COLUMNS, type RunRecord, type RunRow, recordOf } from './record.ts';
import { runRows } from './records.ts';

export interface Swept {
  /** Files whose time was over. */
  readonly expired: number;
  /** Runs of someone who is to be forgotten. */
  readonly erased: number;
  /** Runs that were removed from the history. */
  readonly pruned: number;
  readonly more: boolean;
}

/** Removes files and tokens that have expired, and runs whose time is over. Every step may be repeated. */
export interface Sweep {
  runOnce(): Promise<Swept>;
}

// $1 limit
const EXPIRED: Statement = {
  name: 'reports_expired',
  text: `
SELECT ${COLUMNS} FROM millrace.report_runs
 WHERE expires_at <= millrace.clock() AND file IS NOT NULL AND file_gone_at IS NULL ORDER BY expires_at LIMIT $1`,
};

// $1 limit
const ERASED: Statement = {
  name: 'reports_erased',
  text: `SELECT ${COLUMNS} FROM millrace.report_runs WHERE erased_at IS NOT NULL ORDER BY seq LIMIT $1`,
};

// $1 seq
const REMOVE: Statement = {
  name: 'reports_remove_run',
  text: `DELETE FROM millrace.report_runs WHERE seq = $1`,
};

// Never before its file. $1 keep, ms $2 limit
const PRUNE: Statement = {
  name: 'reports_prune_runs',
  text: `
DELETE FROM millrace.report_runs WHERE seq = ANY (ARRAY(
  SELECT seq FROM millrace.report_runs
   WHERE finished_at < millrace.clock() - $1::float8 * interval '1 millisecond' AND state IS NOT NULL
     AND (file IS NULL OR file_gone_at IS NOT NULL)
   ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING seq`,
};

// A token whose time is over, while its run still waits. $1 limit
const ENDED_TOKENS: Statement = {
  name: 'reports_ended_tokens',
  text: `
UPDATE millrace.report_runs SET token = NULL WHERE seq = ANY (ARRAY(
  SELECT seq FROM millrace.report_runs WHERE token IS NOT NULL AND token_expires_at <= millrace.clock()
   LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING seq`,
};

const AT_ONCE = 100;

export function createSweep(parts: {
  database: Database;
  queue: Pick<Queue, 'summaries' | 'remove'>;
  /** Of the outputs; nothing happens where it is gone. */
  removeFile: (file: unknown) => Promise<void>;
  onRemoved: (why: 'expired' | 'erased') => void;
  keepRunsMs: number;
  log: Log;
}): Sweep {
  const { database, queue, removeFile, onRemoved, keepRunsMs, log } = parts;

  /** A storage that is away now must not keep the others from being swept. */
  async function removed(run: RunRecord, why: 'expired' | 'erased'): Promise<boolean> {
    if (run.file === null || run.fileGoneAt !== null) return true;
    try {
      await removeFile(run.file);
    } catch (err) {
      log.warn({ err, run: run.id }, 'The file of a run could not be removed; it is tried again');
      return false;
    }
    await runRows.fileGone(database, run.seq);
    onRemoved(why);
    return true;
  }

  const some = async (statement: Statement): Promise<RunRecord[]> =>
    (await database.query<RunRow>(statement, [AT_ONCE])).map(recordOf);

  async function expire(): Promise<number> {
    let count = 0;
    for (const run of await some(EXPIRED)) if (await removed(run, 'expired')) count += 1;
    return count;
  }

  /** The job first has to end, which it was asked to when the run was erased. */
  async function forget(): Promise<number> {
    let count = 0;
    for (const run of await some(ERASED)) {
      const [job] = await queue.summaries([run.id]);
      if (job !== undefined && !(await queue.remove(run.id))) continue;
      if (!(await removed(run, 'erased'))) continue;
      await database.query(REMOVE, [run.seq]);
      count += 1;
    }
    return count;
  }

  return {
    async runOnce() {
      const expired = await expire();
      await database.query(ENDED_TOKENS, [AT_ONCE]);
      const erased = await forget();
      const pruned = (await database.query(PRUNE, [keepRunsMs, AT_ONCE])).length;
      const swept = { expired, erased, pruned, more: expired === AT_ONCE || pruned === AT_ONCE };
      if (expired + erased + pruned > 0) log.info(swept, 'Swept up after runs of reports');
      return swept;
    },
  };
}
