import { type Param, texts } from '../../database.ts';
import type { Failure, FailuresParams } from '../../figures.ts';
import type { Context } from '../context.ts';
import { RECORD_OF, selecting, unnamed } from '../filter.ts';

/** The longest message that is looked at. */
const MOST_TEXT = 600;

const ERROR = `j.seq, j.kind, j.error->>'code' AS code, left(j.error->>'message', ${MOST_TEXT}) AS message,
  (j.error->>'retryable')::boolean AS retryable`;

export async function failures(context: Context, params: FailuresParams): Promise<Failure[]> {
  return params.of === 'failed' ? ended(context, params) : waiting(context, params);
}

type FailureRow = {
  seq: number;
  kind: string;
  code: string | null;
  message: string | null;
  retryable: boolean | null;
  at: number | null;
};

/** Newest first, from the dead letters or from the tenant's history, whichever is shorter. */
async function ended(context: Context, { filter, limit }: FailuresParams): Promise<Failure[]> {
  const { statement, params } = await selecting(context.database, {
    filter: { ...filter, state: 'FAILED' },
    columns: `${ERROR}, date_part('epoch', j.finished_at) * 1000 AS at`,
    direction: 'DESC',
    limit,
  });
  return failuresOf(context, await context.database.query<FailureRow>(statement, params));
}

/** In the order of the index: they are few, or their order matters little. When it failed last is not kept by itself. */
async function waiting(
  context: Context,
  { filter: { kind, tenants, submitter }, limit }: FailuresParams,
): Promise<Failure[]> {
  const params: Param[] = [limit];
  const param = (value: Param): string => `$${params.push(value)}`;
  const where = ['s.attempt > 0', 's.run_at > millrace.clock()', `j.error IS NOT NULL`];
  if (kind !== undefined) where.push(`s.kind = ${param(kind)}`);
  if (tenants !== undefined) where.push(`s.tenant = ANY (${param(texts(tenants))}::text::text[])`);
  if (submitter !== undefined) where.push(`j.submitter = ${param(submitter)}`);
  const text = `
SELECT ${ERROR}, coalesce((j.executions->-1->>'endedAt')::float8, date_part('epoch', j.started_at) * 1000) AS at
  FROM millrace.scheduled s ${RECORD_OF('s')} WHERE ${where.join(' AND ')} LIMIT $1`;
  return failuresOf(context, await context.database.query<FailureRow>(unnamed(text), params));
}

function failuresOf({ ids }: Context, rows: readonly FailureRow[]): Failure[] {
  return rows.map(({ seq, kind, code, message, retryable, at }) => ({
    id: ids.of(seq),
    kind,
    code: code ?? 'unknown',
    message: message ?? '',
    retryable: retryable ?? false,
    at: Math.round(at ?? 0),
  }));
}
