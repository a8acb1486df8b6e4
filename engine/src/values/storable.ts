import { MillraceError } from '../errors.ts';
import type { NewJob } from '../job.ts';
import { type JsonText, toJsonText } from './json.ts';
import type { SettledOutcome } from '../port.ts';
import type { Checkpoint } from '../port-parts.ts';

/**
 * For stores that could keep any text. Postgres cannot keep NUL or half a surrogate pair, so the others refuse
 * them too: what works in one must work in all.
 */
export function refuseUnstorableJob(job: NewJob): void {
  json(job.payload, 'payload');
  for (const value of [
    job.kind,
    job.tenant,
    job.key?.value,
    job.correlationId,
    job.submitter,
    job.subject,
    job.webhook,
    job.schedule,
    job.traceparent,
  ]) {
    if (value !== undefined) text(value, 'job');
  }
  for (const part of Object.entries(job.parents ?? {}).flat()) text(part, 'list of parents');
}

export function refuseUnstorableOutcome(outcome: SettledOutcome): void {
  if (outcome.move === 'succeed') json(outcome.result, 'result');
  if (outcome.move === 'defer' && outcome.payload !== null) json(outcome.payload, 'payload');
  if (outcome.move === 'fail' || outcome.move === 'retry')
    text(outcome.error.code + outcome.error.message, 'error');
}

export function refuseUnstorableCheckpoint({ cursor, progress }: Checkpoint): void {
  if (cursor !== undefined) json(cursor, 'cursor');
  if (progress?.note !== undefined) text(progress.note, 'progress');
}

function json(value: JsonText, what: string): void {
  text(value, what);
  // The escape may be one of a backslash (\\u0000 is harmless), which only parsing can tell.
  if (/\\u(?:0000|d[89a-f])/i.test(value)) toJsonText(JSON.parse(value), what, Infinity);
}

function text(value: string, what: string): void {
  if (value.includes('\u0000') || !value.isWellFormed()) {
    throw new MillraceError(
      'invalid_text',
      `The ${what} holds a NUL character or half of a surrogate pair. Remove it: no store can keep it.`,
    );
  }
}
