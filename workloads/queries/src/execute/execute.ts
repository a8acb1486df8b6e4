import { type JobContext, type Outcome, type RunningJob, defer, done } from '@millrace/engine';
import {
  type BusinessUnit,
  type CallOptions,
  MarketingCloudError,
} from '@millrace/marketing-cloud';
import type { Tally } from '../calls.ts';
import { QueryError, RunFailure, failureOf, unknownRun } from '../errors.ts';
import { hintFor } from '../sql/hints.ts';
import type { QueryRunRecord } from '../runs/query-run.ts';
import type { Workshop } from '../workshop.ts';
import type { ExecuteData } from './data.ts';
import { look } from './look.ts';
import { targetOf } from './target.ts';

/**
 * The job `execute-shell-query`: from the SQL to a query that runs in Marketing Cloud, in steps that can each be done again.
 * A worker may be lost between any two of them: names come from the run (runs/asset-keys.ts), so what is there already is found;
 * and only whoever has marked the run may start the query (look.ts).
 */
const STEPS: readonly Step[] = [validate, createTarget, createQuery, start, enqueuePoll];

/** Gives the run as it is now, or how the job ends here. */
type Step = (
  run: QueryRunRecord,
  parts: Parts,
) => Promise<QueryRunRecord | { readonly outcome: Outcome }>;

interface Parts {
  readonly workshop: Workshop;
  readonly unit: BusinessUnit;
  readonly call: CallOptions;
  readonly log: JobContext['log'];
}

export async function runExecute(
  workshop: Workshop,
  { data, attempt, maxAttempts }: Pick<RunningJob<ExecuteData>, 'data' | 'attempt' | 'maxAttempts'>,
  { signal, log }: Pick<JobContext, 'signal' | 'log'>,
): Promise<Outcome> {
  const { runs, meter } = workshop;
  const found = await runs.find(data.runId);
  if (found === null) throw unknownRun(data.runId);
  const tally: Tally = { calls: 0 };
  return meter.during(tally, async () => {
    let run: QueryRunRecord = found;
    try {
      const unit = workshop.businessUnit(run.mid);
      const parts = { workshop, unit, log, call: { correlationId: run.correlationId, signal } };
      for (const step of STEPS) {
        if (run.finishedAt !== null) return await over(workshop, run);
        const next = await step(run, parts);
        if ('outcome' in next) return next.outcome;
        run = next;
      }
      return done({ state: run.state, taskId: run.taskId });
    } catch (error) {
      return await failed(workshop, run, error, attempt >= maxAttempts);
    } finally {
      await runs.addCalls(run.seq, tally.calls);
    }
  });
}

/** Canceled meanwhile: what was made for it goes. */
async function over(workshop: Workshop, run: QueryRunRecord): Promise<Outcome> {
  await workshop.cleanup.after(run);
  return done({ state: run.state });
}

/** A run fails by what it asks for; the job fails only where Marketing Cloud could not be used. */
async function failed(
  workshop: Workshop,
  run: QueryRunRecord,
  error: unknown,
  isLast: boolean,
): Promise<Outcome> {
  if (error instanceof RunFailure) {
    await workshop.fail(run, error.code, error.message);
    return done({ state: 'FAILED', code: error.code });
  }
  if (error instanceof QueryError) {
    await workshop.fail(run, 'marketing_cloud_not_configured', error.message);
    return done({ state: 'FAILED', code: error.code });
  }
  if (!(error instanceof MarketingCloudError)) throw error;
  const failure = failureOf(error);
  if (!failure.retryable || isLast)
    await workshop.fail(
      run,
      failure.retryable ? 'marketing_cloud_unavailable' : 'marketing_cloud_refused',
      failure.message,
    );
  else await workshop.runs.troubled(run, failure.message);
  throw failure;
}

/**
 * Marketing Cloud's own opinion; ours was asked before the run was made. Where it has none, making the query tells: the
 * connector has repeated the question, and a run does not wait for a check. Only throttling is waited for, as all calls are.
 */
async function validate(
  run: QueryRunRecord,
  { workshop, unit, call, log }: Parts,
): Promise<QueryRunRecord> {
  if (run.columns !== null) return run;
  try {
    const { valid, errors } = await unit.validate(run.sqlText, call);
    if (valid) return run;
    const said = errors.join(' ') || 'Marketing Cloud refuses the SQL.';
    const hint = await hintFor(run.sqlText, said, { ...workshop, mid: unit.mid });
    throw new RunFailure('invalid_sql', `${said} ${hint}`.trim());
  } catch (error) {
    if (!(error instanceof MarketingCloudError) || error.kind === 'limit') throw error;
    log.warn({ run: run.id, code: error.code }, 'Marketing Cloud did not check a query');
    return run;
  }
}

/** The columns are kept before the target is made, so that whoever goes on makes the same. */
async function createTarget(
  run: QueryRunRecord,
  { workshop, unit, call }: Parts,
): Promise<QueryRunRecord> {
  if (run.queryDefinitionId !== null) return run;
  const { runs, fieldsOf, config } = workshop;
  const { columns, fields } =
    run.columns !== null && run.targetFields !== null
      ? { columns: run.columns, fields: run.targetFields }
      : await targetOf(run, fieldsOf);
  const kept = (await runs.derived(run, columns, fields)) ?? (await runs.again(run));
  if (kept.finishedAt !== null) return kept;
  const key = keyOf(kept);
  await unlessThere(
    unit.createDataExtension(
      {
        name: key,
        customerKey: key,
        fields,
        // A day more than the results are kept, in case that nobody is there to delete it.
        keepDays: Math.ceil(config.keepResultsMs / DAY_MS) + 1,
        ...inFolder(config.dataExtensionFolderId),
      },
      call,
    ),
  );
  return kept;
}

async function createQuery(
  run: QueryRunRecord,
  { workshop, unit, call }: Parts,
): Promise<QueryRunRecord> {
  if (run.queryDefinitionId !== null) return run;
  const { runs, config } = workshop;
  const key = keyOf(run);
  const made = await unlessThere(
    unit.createQuery(
      {
        name: key,
        customerKey: key,
        sql: run.sqlText,
        target: { customerKey: key, name: key },
        ...inFolder(config.queryFolderId),
      },
      call,
    ),
  );
  const objectId = made?.objectId ?? (await unit.findQuery(key, call))?.objectId;
  if (objectId === undefined)
    throw new RunFailure(
      'marketing_cloud_refused',
      'Marketing Cloud made the query definition, and does not find it.',
    );
  return (await runs.madeQuery(run, objectId)) ?? runs.again(run);
}

/** At most once, whatever happens: a start whose answer was lost is looked for, never repeated. */
async function start(run: QueryRunRecord, parts: Parts): ReturnType<Step> {
  const { workshop, unit, call } = parts;
  const { runs } = workshop;
  if (run.state === 'PROCESSING' || run.queryDefinitionId === null) return run;
  const mine = await runs.requestStart(run);
  if (mine === null) return lookAgain(await runs.again(run), parts);
  try {
    const { taskId } = await unit.startQuery(run.queryDefinitionId, call);
    return (await runs.started(run, taskId)) ?? (await runs.again(run));
  } catch (error) {
    if (!(error instanceof MarketingCloudError)) throw error;
    if (error.outcome === 'unknown') {
      parts.log.warn(
        { run: run.id, why: error.message },
        'Nobody knows whether a query was started',
      );
      return lookAgain(mine, parts);
    }
    await runs.takeBackStart(run);
    throw error;
  }
}

async function lookAgain(run: QueryRunRecord, parts: Parts): ReturnType<Step> {
  const { workshop, log } = parts;
  if (run.state !== 'QUEUED') return run;
  const seen = await look(run, parts);
  if (seen === 'runs') {
    log.warn({ run: run.id }, 'The answer to a start was lost, and the query runs');
    return (await workshop.runs.started(run, null)) ?? workshop.runs.again(run);
  }
  if (seen === 'unknown') return { outcome: defer({ after: workshop.config.startLookEveryMs }) };
  throw new RunFailure(
    'start_unknown',
    'The answer to the start of the query was lost, and Marketing Cloud shows no sign that it runs. It was not started again: run it once more.',
  );
}

async function enqueuePoll(run: QueryRunRecord, { workshop }: Parts): Promise<QueryRunRecord> {
  if (run.state === 'PROCESSING') await workshop.jobs.enqueuePoll(run);
  return run;
}

/** Null: an execution before this one has made it. */
async function unlessThere<T>(made: Promise<T>): Promise<T | null> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof MarketingCloudError && error.kind === 'duplicate') return null;
    throw error;
  }
}

function inFolder(folderId: string | undefined): { readonly folderId?: string } {
  return folderId === undefined ? {} : { folderId };
}

function keyOf({ targetDeName, id }: QueryRunRecord): string {
  if (targetDeName === null) throw new Error(`The run ${id} has no key.`);
  return targetDeName;
}

const DAY_MS = 86_400_000;
