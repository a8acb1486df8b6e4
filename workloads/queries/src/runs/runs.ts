import { type Duration, toMs } from '@millrace/engine';
import type { RunJobs } from '../jobs.ts';
import { seqOf } from '../ids.ts';
import { QueryError } from '../errors.ts';
import type { Mids } from '../mids.ts';
import type { Run } from '../run.ts';
import { type Rules, problemsOf } from '../validate.ts';
import type { RunRecord } from './record.ts';
import { type RunFilter, runRows } from './records.ts';
import type { RunStore } from './store.ts';
import type { Database } from '@millrace/store-postgres';
import { type Page, type PageParams, numberCursor, page, pageLimit } from '@millrace/workload-kit';

export interface NewRun {
  readonly sqlText: string;
  /** One of the tenant's; left out: its first. */
  readonly mid?: string | undefined;
  readonly snippetName?: string | undefined;
  readonly tenantId: string;
  readonly userId: string;
  readonly correlationId?: string | undefined;
  /** The same key of the same user makes one run, while it lives and `keyWindow` (24 h) after it went well; `always`: however it ended. */
  readonly key?: string | undefined;
  readonly keyWindow?: Duration | 'always' | undefined;
}

/** What people do with runs. Whose they are is for within.ts to say. */
export interface Runs {
  /** Refuses SQL that surely cannot run, and a MID that is not the tenant's. Gives the run that has the key, if there is one. */
  submit(run: NewRun): Promise<Run>;
  get(id: string): Promise<Run>;
  /** Null where there is none: for those who have to see whose it is first. */
  find(id: string): Promise<RunRecord | null>;
  /** Those of these that are there. */
  byIds(ids: readonly string[]): Promise<Run[]>;
  /** Newest first. */
  list(params?: PageParams & RunFilter): Promise<Page<Run>>;
  /** Marks the run; its next poll removes what it made. */
  cancel(id: string): Promise<Run>;
}

export function createRuns(parts: {
  database: Database;
  store: RunStore;
  jobs: RunJobs;
  mids: Mids;
  onEnded: (run: RunRecord) => void;
}): Runs {
  const { database, store, jobs, mids, onEnded } = parts;

  async function get(id: string): Promise<RunRecord> {
    const run = await store.record(seqOf(id));
    if (run === null) throw noRun(id);
    return run;
  }

  return {
    async submit({ sqlText, mid, snippetName, tenantId, userId, correlationId, key, keyWindow }) {
      const ofTenant = mids.pick({ tenant: tenantId, user: userId }, mid);
      requireSound(sqlText, mids);
      const { run, created } = await store.insert({
        tenantId,
        userId,
        mid: ofTenant,
        eid: mids.eid(ofTenant),
        sqlText,
        snippetName: snippetName ?? null,
        correlationId: correlationId ?? null,
        key: key === undefined ? null : { value: key, windowMs: windowOf(keyWindow) },
      });
      // Whoever made it has made its job, or the reconciler will.
      if (!created) return run;
      try {
        await jobs.enqueueExecute(run);
      } catch (error) {
        // Whoever asked is told that it did not begin, and so it must not begin later.
        await store.remove(run).catch(() => {});
        throw error;
      }
      return run;
    },
    get,
    find: (id) => store.record(seqOf(id)),
    byIds: (ids) =>
      runRows.bySeq(
        database,
        ids.map(seqOf).filter((seq) => seq !== null),
      ),
    async list({ limit: asked, cursor, ...filter } = {}) {
      const limit = pageLimit({ limit: asked });
      const below = numberCursor({ cursor }, Number.MAX_SAFE_INTEGER);
      const records = await runRows.list(database, filter, below, limit + 1);
      return page(records, limit, ({ seq }) => String(seq));
    },
    async cancel(id) {
      const run = await get(id);
      const canceled = await store.end(run, { status: 'canceled' });
      if (canceled === null)
        throw new QueryError('run_finished', `The run ${id} is over; there is nothing to cancel.`);
      onEnded(canceled);
      return canceled;
    },
  };
}

const TEN_YEARS_MS = 10 * 365 * 86_400_000;

function windowOf(keyWindow: Duration | 'always' = '24h'): number | 'always' {
  if (keyWindow === 'always') return keyWindow;
  const windowMs = toMs(keyWindow);
  if (windowMs >= 0 && windowMs <= TEN_YEARS_MS) return windowMs;
  throw new QueryError('invalid_key', 'The keyWindow must be between 0 and ten years.');
}

export function noRun(id: string): QueryError {
  return new QueryError('run_not_found', `There is no run "${id}".`);
}

function requireSound(sqlText: string, rules: Rules): void {
  const problems = problemsOf(sqlText, rules).filter(({ severity }) => severity === 'error');
  const [first] = problems;
  if (first === undefined) return;
  const { line, column, message } = first;
  throw new QueryError('invalid_sql', `Line ${line}, column ${column}: ${message}`, {
    issues: problems.map((each) => ({
      path: `sql:${each.line}:${each.column}`,
      message: each.message,
    })),
  });
}
