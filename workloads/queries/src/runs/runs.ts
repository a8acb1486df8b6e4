import type { Duration } from '@millrace/engine';
import { runKeyOf } from '@millrace/runs';
import type { RunJobs } from '../jobs.ts';
import { QueryError } from '../errors.ts';
import type { Mids } from '../mids.ts';
import { type Rules, problemsOf } from '../validate.ts';
import { type QueryRunFilter, type QueryRunRecord, narrow, queryRuns } from './query-run.ts';
import type { RunStore } from './store.ts';
import type { Database } from '@millrace/store-postgres';
import type { Page, PageParams } from '@millrace/workload-kit';

export interface NewRun {
  readonly sqlText: string;
  /** One of the tenant's; left out: its first. */
  readonly mid?: string | undefined;
  readonly snippetName?: string | undefined;
  readonly tenant: string;
  readonly submitter: string | null;
  readonly correlationId?: string | undefined;
  /** The same key of the same user makes one run, while it lives and `keyWindow` (24 h) after it went well; `always`: however it ended. */
  readonly key?: string | undefined;
  readonly keyWindow?: Duration | 'always' | undefined;
}

/** What people do with runs. Whose they are is for within.ts to say. */
export interface Runs {
  /** Refuses SQL that surely cannot run, and a MID that is not the tenant's. Gives the run that has the key, if there is one. */
  submit(run: NewRun): Promise<QueryRunRecord>;
  get(id: string): Promise<QueryRunRecord>;
  /** Null where there is none: for those who have to see whose it is first. */
  find(id: string): Promise<QueryRunRecord | null>;
  /** Those of these that are there. */
  byIds(ids: readonly string[]): Promise<QueryRunRecord[]>;
  /** Newest first. */
  list(params?: PageParams & QueryRunFilter): Promise<Page<QueryRunRecord>>;
  /** Marks the run; its next poll removes what it made. */
  cancel(id: string): Promise<QueryRunRecord>;
}

export function createRuns(parts: {
  database: Database;
  store: RunStore;
  jobs: RunJobs;
  mids: Mids;
  onEnded: (run: QueryRunRecord) => void;
}): Runs {
  const { database, store, jobs, mids, onEnded } = parts;

  async function get(id: string): Promise<QueryRunRecord> {
    const run = await store.find(id);
    if (run === null) throw noRun(id);
    return run;
  }

  return {
    async submit({ sqlText, mid, snippetName, tenant, submitter, correlationId, key, keyWindow }) {
      const ofTenant = mids.pick({ tenant, user: submitter ?? '' }, mid);
      requireSound(sqlText, mids);
      const { run } = await store.insert(
        {
          tenant,
          submitter,
          mid: ofTenant,
          eid: mids.eid(ofTenant),
          sqlText,
          snippetName: snippetName ?? null,
          correlationId: correlationId ?? null,
          key: runKeyOf(key, keyWindow),
        },
        async (made) => void (await jobs.enqueueExecute(made)),
      );
      return run;
    },
    get,
    find: store.find,
    byIds: (ids) => queryRuns.byIds(database, ids),
    list: (filter = {}) => queryRuns.list(database, filter, (where) => narrow(where, filter)),
    async cancel(id) {
      const run = await get(id);
      const canceled = await store.end(run, { state: 'CANCELED' });
      if (canceled === null)
        throw new QueryError('run_finished', `The run ${id} is over; there is nothing to cancel.`);
      onEnded(canceled);
      return canceled;
    },
  };
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
