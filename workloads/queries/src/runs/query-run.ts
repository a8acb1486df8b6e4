import type { Field } from '@millrace/marketing-cloud';
import {
  RUN_COLUMNS,
  type RunFilter,
  type RunRecord,
  type RunRow,
  type Where,
  ms,
  recordOf,
  rounded,
  runIds,
  runTable,
} from '@millrace/runs';

/** One query of one user, from the SQL to its rows. It has started from the moment Marketing Cloud has taken it. */
export interface QueryRunRecord extends RunRecord {
  /** The business unit that it runs in. */
  readonly mid: string;
  /** The enterprise that the business unit belongs to, where it is known. */
  readonly eid: string | null;
  readonly sqlText: string;
  readonly snippetName: string | null;
  /** What Marketing Cloud said last, as it said it: `Queued`, `Processing`, … */
  readonly mceStatus: string | null;
  readonly taskId: string | null;
  /** The ObjectID of the QueryDefinition; null in runs of the older shape until the first poll. */
  readonly queryDefinitionId: string | null;
  readonly queryCustomerKey: string | null;
  /** The key and the name of the temporary data extension. */
  readonly targetDeName: string | null;
  /** What the query gives, in the order of the SELECT list. */
  readonly columns: readonly RunColumn[] | null;
  /** The columns of the target, once they are derived. */
  readonly targetFields: readonly Field[] | null;
  readonly asText: boolean;
  readonly rowCount: number | null;
  readonly pollCount: number;
  /** Calls to Marketing Cloud on behalf of this run. A shared call counts as its share. */
  readonly apiCalls: number;
  /** Why it has not begun yet, where Marketing Cloud was in the way: what the last try said. Null once it has begun. */
  readonly trouble: string | null;
  /** Of one that runs: what has to happen before it counts as over, where that is not what `mceStatus` says. */
  readonly waitsFor: string | null;
  readonly correlationId: string;
  readonly startRequestedAt: number | null;
  /** From then on the temporary data extension, and with it the rows, are gone. */
  readonly resultsExpireAt: number | null;
  readonly queryGoneAt: number | null;
  readonly targetGoneAt: number | null;
}

export interface RunColumn {
  /** As in the SELECT list. Marketing Cloud's rowset has it in lower case. */
  readonly name: string;
  readonly type: ColumnType;
}

export type ColumnType = 'text' | 'number' | 'decimal' | 'boolean' | 'date';

type QueryRunRow = RunRow & {
  mid: string;
  eid: string | null;
  sql_text: string;
  snippet_name: string | null;
  mce_status: string | null;
  task_id: string | null;
  query_definition_id: string | null;
  query_customer_key: string | null;
  target_de_name: string | null;
  columns: RunColumn[] | null;
  target_fields: Field[] | null;
  as_text: boolean;
  row_count: number | null;
  poll_count: number;
  api_calls: number;
  correlation_id: string;
  start_requested_at: number | null;
  results_expire_at: number | null;
  query_gone_at: number | null;
  target_gone_at: number | null;
};

export const queryRunIds = runIds('run');

export const COLUMNS = `${RUN_COLUMNS}, mid, eid, sql_text, snippet_name, mce_status, task_id,
       query_definition_id, query_customer_key, target_de_name, columns, target_fields, as_text, row_count::float8 AS row_count,
       poll_count, api_calls, correlation_id, ${ms('start_requested_at')}, ${ms('results_expire_at')}, ${ms('query_gone_at')},
       ${ms('target_gone_at')}`;

export const queryRuns = runTable<QueryRunRecord>({
  table: 'millrace.shell_query_runs',
  names: 'queries',
  ids: queryRunIds,
  columns: COLUMNS,
  recordsOf: (_, rows: readonly QueryRunRow[]) => rows.map(queryRunOf),
  // The sweeper still has to remove the rows.
  prunable: 'results_expire_at <= millrace.clock()',
});

export interface QueryRunFilter extends RunFilter {
  readonly mid?: string | undefined;
  readonly snippet?: string | undefined;
  /** Part of the SQL, of its snippet's name, its id, or the one that another system had for it; case aside. */
  readonly q?: string | undefined;
}

export function narrow(where: Where, { mid, snippet, q }: QueryRunFilter): void {
  where.equal('mid', mid);
  where.equal('snippet_name', snippet);
  if (q === undefined) return;
  const text = `lower(${where.value(q)})`;
  where.and(
    `(position(${text} IN lower(sql_text)) > 0 OR position(${text} IN lower(coalesce(snippet_name, ''))) > 0 OR 'run-' || seq = ${text} OR lower(correlation_id) = ${text})`,
  );
}

function queryRunOf(row: QueryRunRow): QueryRunRecord {
  // Of a run that is not over, the message without a code is what its last try said, or what its last poll waits for.
  const { error_message: message } = row;
  return {
    ...recordOf(queryRunIds.of(row.seq), row),
    mid: row.mid,
    eid: row.eid,
    sqlText: row.sql_text,
    snippetName: row.snippet_name,
    mceStatus: row.mce_status,
    taskId: row.task_id,
    queryDefinitionId: row.query_definition_id,
    queryCustomerKey: row.query_customer_key,
    targetDeName: row.target_de_name,
    columns: row.columns,
    targetFields: row.target_fields,
    asText: row.as_text,
    rowCount: row.row_count,
    pollCount: row.poll_count,
    apiCalls: row.api_calls,
    trouble: row.state === 'QUEUED' ? message : null,
    waitsFor: row.state === 'PROCESSING' ? message : null,
    correlationId: row.correlation_id,
    startRequestedAt: rounded(row.start_requested_at),
    resultsExpireAt: rounded(row.results_expire_at),
    queryGoneAt: rounded(row.query_gone_at),
    targetGoneAt: rounded(row.target_gone_at),
  };
}
