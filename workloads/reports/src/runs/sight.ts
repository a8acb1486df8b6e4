import type { JobState, JobSummary } from '@millrace/engine';
import type { RunRecord } from './record.ts';

/** A run as people see it: its row, and its job where that is still kept. */
export interface RunSight extends RunRecord {
  readonly state: JobState;
  readonly attempt: number;
  readonly cancelRequested: boolean;
}

/** What is over stays as it is, unless somebody retries it. */
export function isOver({ state }: Pick<RunSight, 'state'>): boolean {
  return state !== 'QUEUED' && state !== 'PROCESSING';
}

/** `job`: null where it is no longer kept. */
export function sightOf(
  run: RunRecord,
  job: Pick<
    JobSummary,
    'state' | 'attempt' | 'cancelRequested' | 'error' | 'startedAt' | 'finishedAt'
  > | null,
): RunSight {
  if (job === null) return { ...run, state: goneState(run), attempt: 0, cancelRequested: false };
  const { state, attempt, cancelRequested, error, startedAt, finishedAt } = job;
  return {
    ...run,
    state,
    attempt,
    cancelRequested,
    error: error === null ? null : { code: error.code, message: error.message },
    // A job that is tried again forgets its first start; the row does not.
    startedAt: run.startedAt ?? startedAt,
    finishedAt,
  };
}

/** Of a job that was removed before its end was noted, the file tells. */
function goneState({ end, file }: RunRecord): JobState {
  return end ?? (file === null ? 'CANCELED' : 'SUCCEEDED');
}

/** Whether its file can be downloaded. */
export function hasFile(run: RunSight): boolean {
  const { state, file, fileGoneAt, expiresAt, readAt } = run;
  const isExpired = expiresAt !== null && expiresAt <= readAt;
  return state === 'SUCCEEDED' && file !== null && fileGoneAt === null && !isExpired;
}
