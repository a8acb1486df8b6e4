import type { JobState } from '@millrace/api';
import { EXIT, type ExitCode } from './exit.ts';

export function hasEnded(state: JobState): boolean {
  return state !== 'QUEUED' && state !== 'PROCESSING';
}

/** What a script that asked for these jobs wants to know: did one of them not make it? */
export function exitCodeFor(states: readonly JobState[]): ExitCode {
  return states.some((state) => state === 'FAILED' || state === 'CANCELED') ? EXIT.failed : EXIT.ok;
}
