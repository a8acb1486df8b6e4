import { storableDelay } from './duration.ts';
import { type FailureRecord, JobFailure, MillraceError, classify, retryAfterMs } from './errors.ts';
import type { ExecutorParts } from './executor.ts';
import { type JsonText, toJsonText } from './json.ts';
import type { Outcome } from './outcome.ts';
import type { SettledOutcome } from './port.ts';
import { misfit } from './request.ts';
import { retryDelayMs } from './retry.ts';
import type { Running } from './running.ts';

/** How the handler came to its end, before anything is decided. */
export type Ended =
  | { readonly type: 'returned'; readonly outcome: Outcome }
  | { readonly type: 'threw'; readonly thrown: unknown }
  | { readonly type: 'gaveUp' };

/** What is written for this end; null when the lease is gone and nothing may be. Never throws. */
export function decide(
  parts: ExecutorParts,
  running: Running,
  ended: Ended,
): SettledOutcome | null {
  try {
    return outcomeOf(parts, running, ended);
  } catch (thrown) {
    return { move: 'fail', error: { ...classify(thrown), retryable: false } };
  }
}

function outcomeOf(parts: ExecutorParts, running: Running, ended: Ended): SettledOutcome | null {
  const { abortReason } = running;
  if (ended.type === 'returned' && ended.outcome.type === 'done')
    return succeed(parts, running, ended.outcome);
  if (abortReason === 'lease_lost') return null;
  if (abortReason === 'canceled') return { move: 'cancel' };
  if (ended.type === 'returned' && ended.outcome.type === 'defer')
    return deferred(parts, running, ended.outcome);
  if (abortReason === 'shutdown') return { move: 'handBack' };
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
  parts: ExecutorParts,
  running: Running,
  outcome: Extract<Outcome, { type: 'done' }>,
): SettledOutcome {
  if (outcome.effects.length > 0 && !parts.store.can.effects) {
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
    return { move: 'fail', error: { ...result.error, code: 'result_unstorable' } };
  return {
    move: 'succeed',
    result: result.text,
    purgePayload: running.kind.purgePayload,
    effects: outcome.effects,
  };
}

function deferred(
  parts: ExecutorParts,
  running: Running,
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
  if ('error' in payload) return { move: 'fail', error: payload.error };
  return { move: 'defer', payload: payload.text, delayMs };
}

function checked(serialise: () => JsonText): { text: JsonText } | { error: FailureRecord } {
  try {
    return { text: serialise() };
  } catch (thrown) {
    return { error: { ...classify(thrown), retryable: false } };
  }
}

/** Another try, or the end: by the error itself, the attempts so far and the kind's policy. */
export function failed(
  { random }: ExecutorParts,
  { kind, job, attempt: attempts }: Running,
  thrown: unknown,
): SettledOutcome {
  const error = classify(thrown);
  if (!error.retryable || attempts >= job.maxAttempts) return { move: 'fail', error };
  const delayMs = storableDelay(retryAfterMs(thrown) ?? retryDelayMs(kind.retry, attempts, random));
  return { move: 'retry', error, delayMs };
}

/** A failed or interrupted execution will run again and make its children then. */
export function keepsChildren({ move }: SettledOutcome): boolean {
  return move === 'succeed' || move === 'defer';
}
