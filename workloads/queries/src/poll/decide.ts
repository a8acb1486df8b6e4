import type { TaskStatus } from '@millrace/marketing-cloud';
import type { FailureCode } from '../errors.ts';
import { isOver as hasEnded } from '@millrace/runs';
import type { JobState } from '@millrace/engine';
import { type PollConfig, nextDelay, readinessDelay } from './config.ts';
import type { PollData } from './data.ts';
import { type Signal, hasText, isOdd, isStopped, signalOf } from './signal.ts';

/** A question that was not answered. `retryAfterMs`: Marketing Cloud asked for so much patience. */
export interface Unanswered {
  readonly unanswered: string;
  readonly retryAfterMs: number | null;
  /** It throttles, which says nothing about what was asked for. */
  readonly throttled: boolean;
}

/** Everything that a poll has seen so far. What is left out was not asked for. */
export interface Seen {
  readonly run: {
    readonly state: JobState;
    readonly asText: boolean;
    /** What Marketing Cloud said of the query in polls before. */
    readonly mceStatus: string | null;
  };
  readonly now: number;
  /** 0 up to 1. */
  readonly random: number;
  readonly data: PollData;
  /** Null: Marketing Cloud does not know the task. */
  readonly status?: TaskStatus | null | Unanswered;
  /** Rows of the target, while the query was not known to be over. */
  readonly probe?: number | Unanswered;
  /** `gone`: Marketing Cloud no longer has the query. */
  readonly isRunning?: boolean | 'gone' | Unanswered;
  /** Rows of the target, now that the query is over. */
  readonly rowset?: number | Unanswered;
}

export type Step =
  /** Ask this, then decide again. */
  | { readonly type: 'ask'; readonly what: Question }
  | {
      readonly type: 'defer';
      readonly afterMs: number;
      readonly data: PollData;
      /** For whoever watches, where it is not what the status says. */
      readonly waitsFor: string | null;
    }
  | { readonly type: 'ready'; readonly rowCount: number; readonly by: 'probe' | 'rowset' }
  | { readonly type: 'failed'; readonly code: FailureCode; readonly message: string }
  /** It failed without a reason, and its columns had types: once more, as text. */
  | { readonly type: 'rerun' }
  /** The run is over already: nothing is left but to clean up. */
  | { readonly type: 'over' };

export type Question = 'status' | 'probe' | 'isRunning' | 'rowset';

/**
 * What a poll does next, as a function of what it has seen. The seed's tree, top to bottom: over? status: complete, error;
 * budget? rows there already? may REST be asked? is it confirmed that nothing runs? else later.
 * Where it differs from the seed: docs/decisions/0025-query-polls.md.
 */
export function decide(seen: Seen, config: PollConfig): Step {
  const { run, data, now } = seen;
  if (hasEnded(run)) return { type: 'over' };
  // Its second try is being made.
  if (run.state === 'QUEUED') return later(seen, config, {});
  // Before the budget: a query may have ended while nobody could ask.
  if (seen.status === undefined && data.taskId !== null) return { type: 'ask', what: 'status' };

  const status = answerOf(seen.status);
  const signal = status === null ? 'none' : signalOf(status);
  if (signal === 'complete') return readiness(seen, config);
  if (signal === 'error' && status !== null) return failed(run, status);
  const noted = { ...seen, data: withSignal(seen, status, signal) };
  const isOver = noted.data.rowsetReadyDetectedAt !== undefined;
  const isSpent = !isOver && isBudgetSpent(data, now, config);
  // Whoever throttles is not asked anything else.
  if (isThrottled(seen.status))
    return (isOver || isSpent) && isPatienceSpent(data, config)
      ? timedOut(data, now)
      : later(noted, config, {});
  // The query was seen to be over by polls before.
  if (isOver) return readiness(noted, config);

  // The last look is for rows too.
  if (isSpent || isProbeDue(noted, config)) {
    if (seen.probe === undefined) return { type: 'ask', what: 'probe' };
    if (typeof seen.probe === 'number' && seen.probe > 0) {
      // Rows that are seen early may be a part of them.
      if (seen.isRunning === undefined) return { type: 'ask', what: 'isRunning' };
      if (seen.isRunning === false) return { type: 'ready', rowCount: seen.probe, by: 'probe' };
    }
  }
  if (isSpent) return timedOut(data, now);
  if (seen.isRunning === true) return later(noted, config, { ...NOT_CONFIRMED, ranAt: iso(now) });
  if (!isGateOpen(noted, signal, config)) return later(noted, config, {});
  return confirm(noted, signal, config);
}

/** What Marketing Cloud says of the task; null where it does not know it, or was not heard. */
function answerOf(status: Seen['status']): TaskStatus | null {
  return status === undefined || status === null || 'unanswered' in status ? null : status;
}

function isBudgetSpent(
  { pollCount, pollStartedAt }: PollData,
  now: number,
  config: PollConfig,
): boolean {
  return (
    now - Date.parse(pollStartedAt) >= config.maxDurationMs || pollCount >= config.maxPollCount
  );
}

/** Throttling is waited for beyond the budget, since nothing was learnt by it; twice the budget in all, and not for ever. */
function isPatienceSpent({ throttledMs = 0 }: PollData, config: PollConfig): boolean {
  return throttledMs >= 2 * config.maxDurationMs;
}

function timedOut({ pollCount, pollStartedAt }: PollData, now: number): Step {
  const minutes = Math.max(1, Math.round((now - Date.parse(pollStartedAt)) / 60_000));
  const message = `Marketing Cloud did not say that the query was over within ${minutes} minutes (${pollCount} polls).`;
  return { type: 'failed', code: 'query_timeout', message };
}

function failed({ asText }: Seen['run'], status: TaskStatus): Step {
  const said = [status.errorMsg, status.statusMessage].find(hasText)?.trim();
  const fail = (message: string): Step => ({ type: 'failed', code: 'query_failed', message });
  if (isStopped(status))
    return fail(
      `Marketing Cloud ended the query: ${[status.status?.trim(), said].filter(Boolean).join('. ')}`,
    );
  if (said !== undefined) return fail(said);
  if (!asText) return { type: 'rerun' };
  return fail(
    `Marketing Cloud ended the query with an error (${status.status?.trim()}) and gave no reason, also with every column as text.`,
  );
}

/**
 * Whatever SOAP said that can be used, and when. A query that waits is not over: what looked so was REST, which says
 * `false` of such a query too. With a CompletedDate, Queued does not say that it waits.
 */
function withSignal({ data, now }: Seen, status: TaskStatus | null, signal: Signal): PollData {
  if (signal === 'none') return data;
  const signalAt = iso(now);
  if (signal === 'processing') return { ...data, signalAt, ranAt: data.ranAt ?? signalAt };
  if (hasText(status?.completedDate ?? null)) return { ...data, signalAt };
  return { ...data, ...NOT_CONFIRMED, rowsetReadyDetectedAt: undefined, signalAt };
}

function isThrottled(status: Seen['status']): boolean {
  return status !== undefined && status !== null && 'unanswered' in status && status.throttled;
}

function isProbeDue({ data, now, probe }: Seen, config: PollConfig): boolean {
  if (probe !== undefined) return true;
  if (now - Date.parse(data.pollStartedAt) < config.rowProbeMinRuntimeMs) return false;
  const { rowProbeLastCheckedAt: last, rowProbeAttempts: attempts = 0 } = data;
  const gap = config.rowProbeMinIntervalMs * 2 ** Math.max(0, attempts - 1);
  return last === undefined || now - Date.parse(last) >= gap;
}

/**
 * Whether REST may be asked: its `false` means nothing while the query waits in Marketing Cloud's own queue. SOAP can say
 * Queued of one that has long ended, with a CompletedDate, and then REST alone shows an end without rows.
 */
function isGateOpen({ data, now, status }: Seen, signal: Signal, config: PollConfig): boolean {
  const runtime = now - Date.parse(data.pollStartedAt);
  const completedDate = answerOf(status)?.completedDate ?? null;
  if (hasText(completedDate) && runtime >= config.completedDateTriggerMinRuntimeMs) return true;
  if (signal === 'queued') return false;
  return now - Date.parse(data.signalAt ?? data.pollStartedAt) >= config.stuckThresholdMs;
}

const NOT_CONFIRMED = {
  notRunningConfirmations: 0,
  notRunningSince: undefined,
  notRunningDetectedAt: undefined,
};

/**
 * `false` twice, so far apart that it is no accident. Of a query that SOAP calls Queued and that nobody has seen run, for longer
 * than a query has been seen to wait: a CompletedDate can be there from the start.
 */
function confirm(seen: Seen, signal: Signal, config: PollConfig): Step {
  const { data, now, isRunning } = seen;
  const { notRunningDetectedAt: last, notRunningConfirmations: count = 0, ranAt } = data;
  const gapMs = config.notRunningConfirmationMinGapMs;
  const isNext = last !== undefined && count > 0;
  const mayWait = signal === 'queued' && ranAt === undefined;
  const waitsFor = mayWait ? WAITS_QUEUED : WAITS_CONFIRMED;
  if (isNext && now - Date.parse(last) < gapMs)
    return sooner(seen, config, gapMs - (now - Date.parse(last)), {}, waitsFor);
  if (isRunning === undefined) return { type: 'ask', what: 'isRunning' };
  // REST does not answer, or SOAP still knows the task of a query that was deleted: SOAP goes on.
  const isGone = isRunning === 'gone' && answerOf(seen.status) === null;
  if (isRunning !== false && !isGone) return later(seen, config, {});
  const since = isNext ? (data.notRunningSince ?? last) : iso(now);
  const confirmations = {
    notRunningConfirmations: count + 1,
    notRunningSince: since,
    notRunningDetectedAt: iso(now),
  };
  const isShort = mayWait && now - Date.parse(since) < config.queuedNotRunningMs;
  if (isShort || count + 1 < config.notRunningConfirmations)
    return sooner(seen, config, gapMs, confirmations, waitsFor);
  // Whether it ran to its end nobody can say: no rows, or some, would be a guess.
  if (isGone) return { type: 'failed', code: 'query_failed', message: GONE };
  return readiness({ ...seen, data: { ...data, ...confirmations } }, config);
}

const GONE =
  'Marketing Cloud no longer has the query, and does not know its task: it was deleted there while it ran, or the sandbox was started again. Run it once more.';

/** The query is over; its rows may be visible a little later. */
function readiness(seen: Seen, config: PollConfig): Step {
  const { data, now, rowset } = seen;
  if (rowset === undefined) return { type: 'ask', what: 'rowset' };
  if (typeof rowset === 'number' && rowset > 0)
    return { type: 'ready', rowCount: rowset, by: 'rowset' };
  const rowsetReadyDetectedAt = data.rowsetReadyDetectedAt ?? iso(now);
  if (typeof rowset !== 'number' && rowset.throttled && !isPatienceSpent(data, config))
    return later(seen, config, { rowsetReadyDetectedAt });
  const attempts = (data.rowsetReadyAttempts ?? 0) + 1;
  const isEmpty = typeof rowset === 'number';
  if (attempts < (isEmpty ? config.rowsetEmptyLooks : config.rowsetReadyMaxAttempts))
    return put(
      seen,
      readinessDelay(config, attempts),
      { rowsetReadyDetectedAt, rowsetReadyAttempts: attempts },
      isEmpty ? WAITS_ROWS : null,
    );
  if (isEmpty) return withoutRows(seen);
  const message = `The query is over, and its rows could not be read in ${attempts} attempts: ${rowset.unanswered}`;
  return { type: 'failed', code: 'rowset_unavailable', message };
}

/** "0 rows" must be true: where the last word is one that nobody knows, the query may have ended without its result. */
function withoutRows({ status, run }: Seen): Step {
  const said = answerOf(status)?.status ?? run.mceStatus;
  if (!isOdd(said)) return { type: 'ready', rowCount: 0, by: 'rowset' };
  const message = `Marketing Cloud says ${said.trim()}, the query no longer runs, and it has given no rows.`;
  return { type: 'failed', code: 'query_failed', message };
}

function later(seen: Seen, config: PollConfig, changes: Partial<PollData>): Step {
  return put(seen, nextDelay(config, seen.data.pollCount, seen.random), changes, null);
}

/** No later than a confirmation may come. */
function sooner(
  seen: Seen,
  config: PollConfig,
  atMostMs: number,
  changes: Partial<PollData>,
  waitsFor: string,
): Step {
  const usual = nextDelay(config, seen.data.pollCount, seen.random);
  return put(seen, Math.min(usual, atMostMs), changes, waitsFor);
}

const WAITS_QUEUED =
  'Marketing Cloud says that the query is queued and completed, and that it does not run. If that lasts, the query is over.';
const WAITS_CONFIRMED = 'The query no longer runs. Marketing Cloud is asked once more.';
const WAITS_ROWS = 'The query is over, without rows so far. They may show a little later.';

/** Not before Marketing Cloud wants to be asked again. */
function put(
  seen: Seen,
  delayMs: number,
  changes: Partial<PollData>,
  waitsFor: string | null,
): Step {
  const { run, data, now, probe } = seen;
  const unanswered = [seen.status, probe, seen.isRunning, seen.rowset].filter(
    (answer) => typeof answer === 'object' && answer !== null && 'unanswered' in answer,
  );
  const afterMs = Math.max(delayMs, ...unanswered.map(({ retryAfterMs }) => retryAfterMs ?? 0));
  const probed = probe !== undefined && {
    rowProbeAttempts: (data.rowProbeAttempts ?? 0) + 1,
    rowProbeLastCheckedAt: iso(now),
  };
  // While the second try is made, nobody is asked: it is no poll.
  const pollCount = data.pollCount + (run.state === 'QUEUED' ? 0 : 1);
  const throttled = unanswered.some((answer) => answer.throttled) && {
    throttledMs: (data.throttledMs ?? 0) + afterMs,
  };
  return {
    type: 'defer',
    afterMs,
    data: { ...data, ...probed, ...throttled, ...changes, pollCount },
    waitsFor: unanswered[0] === undefined ? waitsFor : waitsForAnswer(unanswered[0]),
  };
}

function waitsForAnswer({ throttled, unanswered }: Unanswered): string {
  return throttled
    ? 'Marketing Cloud asks for fewer calls: it is asked again when it allows.'
    : `Marketing Cloud gave no answer, and is asked again: ${unanswered}`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
