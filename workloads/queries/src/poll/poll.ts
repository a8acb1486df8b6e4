import { type JobContext, type Outcome, type RunningJob, defer, done } from '@millrace/engine';
import { type BusinessUnit, MarketingCloudError } from '@millrace/marketing-cloud';
import type { Tally } from '../calls.ts';
import { QueryError, unknownRun } from '../errors.ts';
import { freshData } from '../jobs.ts';
import type { QueryRunRecord } from '../runs/query-run.ts';
import type { Workshop } from '../workshop.ts';
import type { PollData } from './data.ts';
import { type Question, type Seen, type Step, type Unanswered, decide } from './decide.ts';

/**
 * The job `poll-shell-query`: one look at a run, after which the same job comes back later. What is looked at and what
 * follows is decided by decide.ts; here it is asked and done.
 */
export async function runPoll(
  workshop: Workshop,
  { data: given }: Pick<RunningJob<PollData>, 'data'>,
  { signal, log }: Pick<JobContext, 'signal' | 'log'>,
): Promise<Outcome> {
  const { runs, meter, metrics, config, random } = workshop;
  const found = await runs.find(given.runId);
  if (found === null) throw unknownRun(given.runId);
  const tally: Tally = { calls: given.apiCalls ?? 0 };
  return meter.during(tally, async () => {
    const removed = found.finishedAt === null ? removedUnit(workshop, found) : null;
    if (removed !== null) return finish(workshop, found, { data: given }, removed, tally);
    const run = await complete(workshop, found);
    const data = ofTheRun(given, run);
    let seen: Seen = { run, data, now: run.readAt, random: random() };
    let step = decide(seen, config.poll);
    if (step.type !== 'over') metrics.polled();
    while (step.type === 'ask') {
      seen = { ...seen, ...(await ask(workshop, run, step.what, signal)) };
      warn(seen, step.what, run, workshop, log);
      step = decide(seen, config.poll);
    }
    return finish(workshop, run, seen, step, tally);
  });
}

/** The business unit was taken out of MCE_MIDS while the query ran: nobody can be asked about it any more. */
function removedUnit(
  { businessUnit }: Workshop,
  { mid }: QueryRunRecord,
): Extract<Step, { readonly type: 'failed' }> | null {
  try {
    businessUnit(mid);
    return null;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return { type: 'failed', code: 'marketing_cloud_not_configured', message: error.message };
  }
}

/** Runs of the older shape have no id of their query definition: found by its key, and kept. */
async function complete(workshop: Workshop, run: QueryRunRecord): Promise<QueryRunRecord> {
  const { queryDefinitionId, queryCustomerKey, finishedAt } = run;
  if (queryDefinitionId !== null || queryCustomerKey === null || finishedAt !== null) return run;
  if (run.state !== 'PROCESSING') return run;
  try {
    const unit = workshop.businessUnit(run.mid);
    const query = await unit.findQuery(queryCustomerKey, { correlationId: run.correlationId });
    return query === null ? run : ((await workshop.runs.madeQuery(run, query.objectId)) ?? run);
  } catch (error) {
    if (!(error instanceof MarketingCloudError)) throw error;
    return run;
  }
}

/** The polling of another try of the run, or of one that began otherwise, tells nothing about this one. */
function ofTheRun(given: PollData, run: QueryRunRecord): PollData {
  if (run.state === 'QUEUED') return given;
  const fresh = freshData(run);
  const isSame = given.pollStartedAt === fresh.pollStartedAt && given.taskId === fresh.taskId;
  return isSame ? given : fresh;
}

async function ask(
  { businessUnit, statuses, config, metrics }: Workshop,
  run: QueryRunRecord,
  what: Question,
  signal: AbortSignal,
): Promise<Partial<Seen>> {
  const call = { correlationId: run.correlationId, signal };
  const rows = async (unit: BusinessUnit): Promise<number> => {
    const key = run.targetDeName ?? '';
    return (await unit.rows(key, { ...call, pageSize: config.poll.rowProbePageSize })).count;
  };
  switch (what) {
    case 'status':
      return { status: await answered(() => statuses.ask(run.mid, run.taskId ?? '')) };
    case 'probe':
      metrics.probed();
      return { probe: await answered(() => rows(businessUnit(run.mid))) };
    case 'isRunning':
      metrics.isRunningChecked();
      return {
        isRunning: await answered(() =>
          runsOrGone(businessUnit(run.mid).isRunning(run.queryDefinitionId ?? '', call)),
        ),
      };
    case 'rowset':
      return { rowset: await answered(() => rows(businessUnit(run.mid))) };
  }
}

async function runsOrGone(asked: Promise<boolean>): Promise<boolean | 'gone'> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof MarketingCloudError && error.kind === 'notFound') return 'gone';
    throw error;
  }
}

async function answered<T>(question: () => Promise<T>): Promise<T | Unanswered> {
  try {
    return await question();
  } catch (error) {
    if (!(error instanceof MarketingCloudError)) throw error;
    const { message, retryAfterMs, kind } = error;
    return { unanswered: message, retryAfterMs, throttled: kind === 'limit' };
  }
}

function warn(
  seen: Seen,
  what: Question,
  run: QueryRunRecord,
  { metrics }: Workshop,
  log: JobContext['log'],
): void {
  const answer = seen[what];
  if (typeof answer !== 'object' || answer === null || !('unanswered' in answer)) return;
  metrics.unanswered(what);
  log.warn({ run: run.id, asked: what, why: answer.unanswered }, 'A poll got no answer');
}

async function finish(
  workshop: Workshop,
  run: QueryRunRecord,
  seen: Pick<Seen, 'data' | 'status' | 'rowset'>,
  step: Exclude<Step, { readonly type: 'ask' }>,
  tally: Tally,
): Promise<Outcome> {
  const { runs, metrics, config, jobs } = workshop;
  const { data } = seen;
  const mceStatus = mceStatusOf(seen) ?? run.mceStatus;
  const waitsFor = step.type === 'defer' ? step.waitsFor : null;
  const noted = { mceStatus, waitsFor, pollCount: data.pollCount + 1 };
  const last = { noted, tally };
  const note = async (): Promise<void> => {
    const calls = tally.calls;
    tally.calls = 0;
    await runs.note(run, { ...noted, calls });
  };
  switch (step.type) {
    case 'over':
      await workshop.cleanup.after(run);
      await runs.addCalls(run.seq, tally.calls);
      return done({ state: run.state });
    case 'defer': {
      // Its second try waits for its job, which a worker may have been lost before making.
      if (run.state === 'QUEUED') await jobs.enqueueExecute(run);
      tell(step.data, seen, workshop);
      // The run is written when something changed in it, and now and then: not with each poll.
      const isNews = mceStatus !== run.mceStatus || waitsFor !== run.waitsFor;
      if (isNews || step.data.pollCount % NOTE_EVERY === 0) await note();
      if (run.taskId !== null) workshop.statuses.expect(run.mid, run.taskId, step.afterMs);
      return defer({ after: step.afterMs, data: { ...step.data, apiCalls: tally.calls } });
    }
    case 'rerun': {
      await note();
      const again = await runs.asText(run);
      if (again === null) return defer({ after: config.poll.initialDelayMs, data });
      metrics.rerunAsText();
      await jobs.enqueueExecute(again);
      await workshop.cleanup.discard(run);
      return defer({ after: config.poll.initialDelayMs, data: { ...data, apiCalls: 0 } });
    }
    case 'ready': {
      if (step.by === 'probe') metrics.fastPath();
      const { rowCount } = step;
      await workshop.end(run, { state: 'SUCCEEDED', rowCount, keepMs: config.keepResultsMs }, last);
      break;
    }
    case 'failed':
      if (step.code === 'query_timeout') metrics.timedOut();
      await workshop.fail(run, step.code, step.message, last);
  }
  await runs.addCalls(run.seq, tally.calls);
  return done({ status: step.type });
}

const NOTE_EVERY = 10;

function mceStatusOf({ status }: Pick<Seen, 'status'>): string | null {
  return status !== undefined && status !== null && 'taskId' in status ? status.status : null;
}

function tell(
  next: PollData,
  { data, rowset }: Pick<Seen, 'data' | 'rowset'>,
  { metrics }: Workshop,
): void {
  const before = data.notRunningConfirmations ?? 0;
  if ((next.notRunningConfirmations ?? 0) > before) metrics.notRunningConfirmed();
  if (rowset !== undefined && (data.rowsetReadyAttempts ?? 0) > 0) metrics.readinessRetried();
}
