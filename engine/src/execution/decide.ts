import { storableDelay } from '../time/duration.ts';
import { type FailureRecord, JobFailure, MillraceError } from '../errors.ts';
import type { Random } from '../time/clock.ts';
import type { ClaimedJob } from '../job.ts';
import type { JobKind } from '../kinds/kind.ts';
import { classify, retryAfterMs, stackOf } from '../values/failure.ts';
import { type JsonText, toJsonText } from '../values/json.ts';
import { type Outcome, done } from '../kinds/outcome.ts';
import type { SettledOutcome, Store } from '../port.ts';
import { misfit } from '../queue/new-job.ts';
import { retryDelayMs } from '../kinds/retry.ts';
import type { AbortReason } from './running.ts';

/** How the handler came to its end, before anything is decided. */
export type Ended =
  | { readonly type: 'returned'; readonly outcome: Outcome }
  | { readonly type: 'threw'; readonly thrown: unknown }
  | { readonly type: 'gaveUp' };

/** How most handlers end: one shared object for all of them. */
export const RETURNED_NOTHING = { type: 'returned', outcome: done() } as const satisfies Ended;
/** Thrown between two chunks to make room for a suspect. */
export const YIELDED = new Error('The job made room between two chunks.');
const SUCCEEDED_WITH_NOTHING: SettledOutcome = {
  move: 'succeed',
  result: 'null',
  purgePayload: false,
  effects: [],
};

/** The facts that decide an end: all of an execution that matters, so that others than the worker can decide the same way. */
export interface Decided {
  readonly kind: Pick<JobKind, 'kind' | 'input' | 'retry' | 'timeoutMs' | 'purgePayload'>;
  readonly job: Pick<ClaimedJob, 'maxAttempts'>;
  readonly attempt: number;
  readonly abortReason: AbortReason | null;
}

export interface Deciding {
  readonly random: Random;
  readonly store: Pick<Store, 'name' | 'keeps'>;
}

/** The outcome to write for this end; null when the lease is gone and nothing may be. Never throws. */
export function decide(parts: Deciding, running: Decided, ended: Ended): SettledOutcome | null {
  try {
    return outcomeOf(parts, running, ended);
  } catch (thrown) {
    return finallyFailed(classify(thrown), thrown);
  }
}

function outcomeOf(parts: Deciding, running: Decided, ended: Ended): SettledOutcome | null {
  const { abortReason } = running;
  if (ended.type === 'returned' && ended.outcome.type === 'done')
    return succeed(parts, running, ended.outcome);
  if (abortReason === 'lease_lost') return null;
  if (abortReason === 'canceled') return { move: 'cancel' };
  if (ended.type === 'returned' && ended.outcome.type === 'defer')
    return deferred(parts, running, ended.outcome);
  if (abortReason === 'shutdown' || (ended.type === 'threw' && ended.thrown === YIELDED))
    return { move: 'handBack' };
  if (abortReason === 'timeout') {
    const seconds = running.kind.timeoutMs / 1_000;
    return failed(
      parts,
      running,
      new JobFailure('timeout', `The job ran longer than the ${seconds} s its kind allows.`),
    );
  }
  return failed(
    parts,
    running,
    ended.type === 'threw' ? ended.thrown : new Error('The handler did not end.'),
  );
}

function succeed(
  parts: Deciding,
  running: Decided,
  outcome: Extract<Outcome, { type: 'done' }>,
): SettledOutcome {
  if (outcome === RETURNED_NOTHING.outcome && !running.kind.purgePayload)
    return SUCCEEDED_WITH_NOTHING;
  if (outcome.effects.length > 0 && !parts.store.keeps.effects) {
    return failed(
      parts,
      running,
      new MillraceError(
        'unsupported_by_store',
        `The store "${parts.store.name}" cannot commit effects.`,
      ),
    );
  }
  const result = checked(() => toJsonText(outcome.result, 'result'));
  if ('error' in result)
    return finallyFailed({ ...result.error, code: 'result_unstorable' }, result.thrown);
  return {
    move: 'succeed',
    result: result.text,
    purgePayload: running.kind.purgePayload,
    effects: outcome.effects,
  };
}

function deferred(
  parts: Deciding,
  running: Decided,
  outcome: Extract<Outcome, { type: 'defer' }>,
): SettledOutcome {
  const delayMs = storableDelay(outcome.afterMs);
  if (outcome.data === undefined) return { move: 'defer', payload: null, delayMs };
  const valid = running.kind.input.safeParse(outcome.data);
  if (!valid.success) {
    const message = `It was deferred. ${misfit(running.kind.kind, valid.error)}`;
    return failed(
      parts,
      running,
      new JobFailure('validation_error', message, { retryable: false }),
    );
  }
  const payload = checked(() => toJsonText(outcome.data, 'payload'));
  if ('error' in payload) return finallyFailed(payload.error, payload.thrown);
  return { move: 'defer', payload: payload.text, delayMs };
}

function checked(
  serialise: () => JsonText,
): { text: JsonText } | { error: FailureRecord; thrown: unknown } {
  try {
    return { text: serialise() };
  } catch (thrown) {
    return { error: classify(thrown), thrown };
  }
}

function finallyFailed(error: FailureRecord, thrown: unknown): SettledOutcome {
  return { move: 'fail', error: { ...error, retryable: false }, stack: stackOf(thrown) };
}

/** Another try, or the end: by the error itself, the attempts so far and the kind's policy. Never throws. */
export function failed(
  { random }: Pick<Deciding, 'random'>,
  { kind, job, attempt: attempts }: Decided,
  thrown: unknown,
): SettledOutcome {
  const error = classify(thrown);
  const stack = stackOf(thrown);
  if (!error.retryable || attempts >= job.maxAttempts) return { move: 'fail', error, stack };
  try {
    const wantedMs = retryAfterMs(thrown) ?? retryDelayMs(kind.retry, attempts, random);
    return { move: 'retry', error, stack, delayMs: storableDelay(wantedMs) };
  } catch (wrong) {
    return finallyFailed(classify(wrong), wrong);
  }
}

/** A failed or interrupted execution will run again and make its children then. */
export function keepsChildren({ move }: SettledOutcome): boolean {
  return move === 'succeed' || move === 'defer';
}
