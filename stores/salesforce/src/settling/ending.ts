import type { SettledOutcome } from '@millrace/engine';
import { fileIdOf, filesOf } from './effects.ts';
import type { Ending } from '../levels/level.ts';
import type { Field } from '../records/fields.ts';

type Values = Partial<Record<Field, unknown>>;

const NOTHING: Values = { request: null, result: null, error: null };

/** The record once the execution is over. `now` is the org's clock. A hand-back clears no suspect. */
export function endingValues(ending: Ending, now: number): Values {
  return {
    ...movedValues(ending, now),
    ...(ending.outcome.move !== 'handBack' && { suspect: false }),
    ...(ending.isErased === true && { ...NOTHING, subject: ending.subject }),
  };
}

/**
 * The ending of a job whose subject was erased while it ran: that it ended is kept, its texts and files are not. The
 * record lost its Subject__c at the erasure, which is how its worker knows; the worker's copy puts it back.
 */
export function erased(ending: Ending): Ending {
  const { outcome } = ending;
  const kept = outcome.move === 'succeed' ? { ...outcome, effects: [] } : outcome;
  return { ...ending, outcome: kept, isErased: true };
}

function movedValues({ attempt, outcome }: Ending, now: number): Values {
  const finishedAt = timeText(now);
  const noError = { error: null, errorCode: null };
  switch (outcome.move) {
    case 'succeed':
      return {
        status: 'SUCCEEDED',
        result: outcome.result,
        finishedAt,
        ...noError,
        ...fileValues(outcome),
        ...(outcome.purgePayload && { request: null }),
      };
    case 'fail':
      return { status: 'FAILED', attempts: attempt, finishedAt, ...errorValues(outcome) };
    case 'cancel':
      return canceledValues(now);
    case 'retry':
      return {
        status: 'QUEUED',
        attempts: attempt,
        due: dueText(now, outcome.delayMs),
        ...errorValues(outcome),
      };
    case 'defer':
      return {
        status: 'QUEUED',
        due: dueText(now, outcome.delayMs),
        ...noError,
        ...(outcome.payload !== null && { request: outcome.payload }),
      };
    case 'handBack':
      return { status: 'QUEUED', due: null };
  }
}

export function canceledValues(now: number): Values {
  return { status: 'CANCELED', finishedAt: timeText(now), suspect: false };
}

export function goesBack({ move }: SettledOutcome): boolean {
  return move === 'retry' || move === 'defer' || move === 'handBack';
}

function fileValues({ effects }: Extract<SettledOutcome, { move: 'succeed' }>): Values {
  const parts = filesOf(effects).flatMap(({ files }) => files.map(({ part }) => part));
  return {
    ...(parts.includes('output') && { outputFile: fileIdOf('output') }),
    ...(parts.includes('docx') && { docxFile: fileIdOf('docx') }),
  };
}

function errorValues({ error }: Extract<SettledOutcome, { move: 'fail' | 'retry' }>): Values {
  return { error: error.message, errorCode: error.code };
}

export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** Records keep whole seconds. Rounded up: better a little late than before its time. */
export function dueText(now: number, delayMs: number): string | null {
  return delayMs <= 0 ? null : timeText(Math.ceil((now + delayMs) / 1_000) * 1_000);
}
