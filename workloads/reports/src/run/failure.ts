import { JobFailure } from '@millrace/engine';
import { ObjectStorageError } from '@millrace/object-storage';
import { SourceError, SourceUnavailable } from '@millrace/sql-source';
import { TableError } from '@millrace/tables';
import { LostOutput } from '../outputs/errors.ts';
import { KeyTrouble } from '../sql/key.ts';
import { CannotGoOn } from '../sql/read.ts';

/** Nobody can carry the file on: its beginning is gone, or another version of Millrace wrote it, which writes columns otherwise. */
export function isLostOutput(error: unknown): boolean {
  return error instanceof LostOutput || (error instanceof TableError && error.code === 'bad_state');
}

/** The file begins again, and nothing of it was lost: all of it is of one snapshot. */
export function isReadWhole(error: unknown): boolean {
  return error instanceof CannotGoOn;
}

/** The source is away for a while, and nothing is wrong with the report. */
export function isAway(error: unknown): boolean {
  return error instanceof SourceUnavailable;
}

/** The object storage is: an outage of a minute must not fail every run that writes. What a disk refuses is no matter of waiting. */
export function isStorageAway(error: unknown): error is JobFailure {
  return (
    error instanceof JobFailure &&
    error.code === 'output_failed' &&
    error.cause instanceof ObjectStorageError
  );
}

/** By SQLSTATE, or the connector's own code. */
const CODES: readonly (readonly [RegExp, string])[] = [
  [/^(57014|no_progress)$/, 'source_timeout'],
  [/^22/, 'row_refused'],
  [/^(08|40|53|55|57|58|25P|72|XX000|connection_lost|embedded_stopped)/, 'source_unavailable'],
];

/** What went wrong, under a code of the failure table. What is not known is the engine's to classify. */
export function toFailure(error: unknown): JobFailure {
  if (error instanceof JobFailure) return error;
  if (error instanceof KeyTrouble)
    return new JobFailure(error.code, error.message, { retryable: false, cause: error });
  if (error instanceof SourceError) {
    const code = CODES.find(([pattern]) => pattern.test(error.code))?.[1] ?? 'source_refused';
    return new JobFailure(code, error.message, { retryable: error.retryable, cause: error });
  }
  if (error instanceof TableError)
    return new JobFailure('row_refused', error.message, { retryable: false, cause: error });
  throw error;
}
