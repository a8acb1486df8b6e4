import { type Param, type Session, texts } from '@millrace/store-postgres';
import type { RunState } from '../definition/graph.ts';
import { RUN_COLUMNS, type RunRow, type WholeRun, runOf } from './record.ts';
import { withSteps } from './statements.ts';

/** Of which tenants a list is, and of whom; an empty list of tenants has nothing. */
export interface RunFilter {
  readonly tenants?: readonly string[] | 'all' | undefined;
  readonly submitter?: string | undefined;
  readonly pipeline?: string | undefined;
  readonly state?: RunState | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
}

/** Newest first. */
export async function listRuns(
  session: Session,
  filter: RunFilter,
  below: number,
  limit: number,
): Promise<WholeRun[]> {
  const values: Param[] = [below, limit];
  const where = ['seq < $1', ...conditionsOf(filter, values)];
  const text = `SELECT ${RUN_COLUMNS} FROM millrace.pipeline_runs WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT $2`;
  const found = await session.query<RunRow>({ name: '', text }, values);
  return withSteps(session, found.map(runOf));
}

function conditionsOf(filter: RunFilter, values: Param[]): string[] {
  const { tenants = 'all', submitter, pipeline, state, createdAfter, createdBefore } = filter;
  const where: string[] = [];
  const equal = (column: string, value: Param | undefined): void => {
    if (value !== undefined) where.push(`${column} = $${values.push(value)}`);
  };
  const [only] = tenants;
  // One tenant alone is named as it is, so that the list is read in the order of the tenant's index.
  if (tenants !== 'all' && tenants.length === 1) equal('tenant', only);
  else if (tenants !== 'all')
    where.push(`tenant = ANY ($${values.push(texts(tenants))}::text::text[])`);
  equal('submitter', submitter);
  equal('pipeline', pipeline);
  equal('state', state);
  if (createdAfter !== undefined)
    where.push(`created_at >= to_timestamp($${values.push(createdAfter)}::float8 / 1000)`);
  if (createdBefore !== undefined)
    where.push(`created_at < to_timestamp($${values.push(createdBefore)}::float8 / 1000)`);
  return where;
}
