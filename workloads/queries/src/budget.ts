import type { PostgresStore, Statement } from '@millrace/store-postgres';
import type { WorkloadBudget } from '@millrace/workload-kit';

// Along the indexes on the end of runs and on those that live: the history before today is not read.
const TODAY: Statement = {
  name: 'queries_calls_today',
  text: `
WITH day AS MATERIALIZED (SELECT date_trunc('day', millrace.clock() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS began)
SELECT coalesce(sum(api_calls), 0)::float8 AS calls FROM (
  SELECT api_calls FROM millrace.shell_query_runs WHERE finished_at >= (SELECT began FROM day)
  UNION ALL
  SELECT api_calls FROM millrace.shell_query_runs WHERE state IN ('QUEUED', 'PROCESSING') AND touched_at IS NOT NULL) r`,
};

const FOR_MS = 15_000;

/** The calls that runs of today have cost, over all replicas. What an account may have in a day, Marketing Cloud does not tell. */
export function createCallsBudget(
  database: Pick<PostgresStore['database'], 'query'>,
  now: () => number = () => performance.now(),
): () => Promise<WorkloadBudget[]> {
  let read: { readonly at: number; readonly calls: Promise<number> } | null = null;

  async function ask(): Promise<number> {
    const [row] = await database.query<{ calls: number }>(TODAY, []);
    return Math.round(row?.calls ?? 0);
  }

  return async () => {
    if (read === null || now() - read.at >= FOR_MS) {
      read = { at: now(), calls: ask() };
      read.calls.catch(() => (read = null));
    }
    return [
      {
        id: 'marketing-cloud:calls',
        name: 'Marketing Cloud',
        used: await read.calls,
        limit: null,
        unit: 'calls',
        detail: 'Of the runs of today (UTC).',
      },
    ];
  };
}
