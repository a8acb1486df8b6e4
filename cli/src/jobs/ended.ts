import type { JobState } from '@millrace/api';
import { EXIT, type ExitCode } from '../line/exit.ts';

/** From which states a job can be cancelled and queued again; docs/tables.test.ts holds the three against the engine's. */
export const CANCELABLE: readonly JobState[] = ['QUEUED', 'PROCESSING', 'FAILED'];
export const RETRYABLE: readonly JobState[] = ['FAILED', 'CANCELED'];

export function hasEnded(state: JobState): boolean {
  return state !== 'QUEUED' && state !== 'PROCESSING';
}

/** The exit code for watched jobs: whether one of them did not succeed. */
export function exitCodeFor(states: readonly JobState[]): ExitCode {
  return states.some((state) => hasEnded(state) && state !== 'SUCCEEDED') ? EXIT.failed : EXIT.ok;
}
