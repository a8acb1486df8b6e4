import { JobFailure } from '@millrace/engine';
import { MarketingCloudError } from '@millrace/marketing-cloud';
import type { Scope, Step, StepSight, Who } from '@millrace/workload-kit';
import { z } from 'zod';
import { STATUS_OF } from './contract/runs.ts';
import { QueryError, failureOf } from './errors.ts';
import type { Queries } from './queries.ts';
import { resultFile, resultRows } from './results/results.ts';
import type { QueryRunRecord } from './runs/query-run.ts';
import { BindError, bindSql } from './sql/bind.ts';
import { queriesWithin } from './within.ts';

const scalar = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.strictObject({ date: z.string().describe('Such as 2026-01-31.') }),
]);

const inputSchema = z.strictObject({
  sql: z.string().min(1).describe('One SELECT, with :name for each of the parameters.'),
  parameters: z.record(z.string(), z.union([scalar, z.array(scalar)])).default({}),
  mid: z
    .string()
    .regex(/^\d{1,20}$/, { error: 'Write the MID of a business unit, in quotes.' })
    .optional()
    .describe('The business unit; the first of the tenant unless given.'),
});

/** A query as a step of a pipeline: begun once by its key, its values put into the SQL as literals. */
export function queryStep(queries: Queries): Step {
  const within = (who: Who) => queriesWithin(queries, scopeOf(who));

  return {
    input: inputSchema,
    literal: ['sql'],
    outputs: ['rows', 'runId'],
    start: ({ input, who, key }) =>
      asFailure(async () => {
        const { sql, parameters, mid } = inputSchema.parse(input);
        const { id } = await within(who).runs.submit({
          sqlText: bindSql(sql, parameters),
          mid,
          submitter: who.submitter,
          correlationId: who.correlationId,
          key,
          keyWindow: 'always',
        });
        return { id };
      }),
    look: (id, who) => asFailure(async () => sightOf(await within(who).runs.get(id))),
    async cancel(id, who) {
      try {
        await within(who).runs.cancel(id);
      } catch (error) {
        const isOver =
          error instanceof QueryError && ['run_finished', 'run_not_found'].includes(error.code);
        if (!isOver) throw error;
      }
    },
    async *rows(id, who, signal) {
      const { runs, rowsetOf } = within(who);
      const { correlationId } = who;
      try {
        const run = await runs.get(id);
        for await (const page of resultRows(run, rowsetOf(run), { correlationId, signal }))
          yield* page;
      } catch (error) {
        throw failureFrom(error);
      }
    },
    file: (id, who, signal) =>
      asFailure(async () => {
        const { runs, rowsetOf } = within(who);
        const run = await runs.get(id);
        const options = { correlationId: who.correlationId, signal };
        const { name, mediaType, bytes } = await resultFile(run, rowsetOf(run), 'csv', options);
        return { name, mediaType, read: () => bytes };
      }),
    link: (id) => `/runs/${id}`,
  };
}

/**
 * What the pipeline's submitter has, and nothing of anybody else. A pipeline of nobody (nobody signs in, or the person was
 * erased) may see its tenant's runs, but names only those that it started.
 */
function scopeOf({ tenant, submitter }: Who): Scope {
  return { tenants: [tenant], tenant, owner: submitter };
}

function sightOf(run: QueryRunRecord): StepSight {
  const { id, state, rowCount, mceStatus, trouble, waitsFor, error } = run;
  switch (state) {
    case 'QUEUED':
    case 'PROCESSING': {
      const note = trouble ?? waitsFor ?? mceStatus ?? STATUS_OF[state];
      return { state: 'running', progress: { done: 0, note } };
    }
    case 'SUCCEEDED':
      return { state: 'done', output: { rows: rowCount ?? 0, runId: id } };
    case 'FAILED':
      return {
        state: 'failed',
        error: error ?? { code: 'query_failed', message: 'The query failed.' },
      };
    case 'CANCELED':
      return {
        state: 'failed',
        error: { code: 'run_canceled', message: `The run ${id} was cancelled.` },
      };
  }
}

async function asFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureFrom(error);
  }
}

/** What is refused would be refused again; what Marketing Cloud cannot do now, it may do later. */
function failureFrom(error: unknown): unknown {
  if (error instanceof MarketingCloudError) return failureOf(error);
  if (error instanceof BindError)
    return new JobFailure('invalid_sql', error.message, { retryable: false, cause: error });
  if (error instanceof QueryError) {
    const retryable = error.code === 'results_changed';
    return new JobFailure(error.code, error.message, { retryable, cause: error });
  }
  return error;
}
