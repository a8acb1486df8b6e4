import type { Client } from '@millrace/api';
import { type Phase, STATE_PHASES } from '../../ui/state.tsx';

export type Report = Awaited<ReturnType<Client['getReport']>>;
export type Run = Awaited<ReturnType<Client['getReportRun']>>;

/** A run that waits after a failure is tried again. */
export function phaseOfRun({ state, error }: Run): Phase {
  return state === 'QUEUED' && error !== null ? 'retrying' : STATE_PHASES[state];
}
