import type { Client } from '@millrace/api';
import type { Phase } from '../../ui/state.tsx';

export type Report = Awaited<ReturnType<Client['getReport']>>;
export type Run = Awaited<ReturnType<Client['getReportRun']>>;

/** A run that waits after a failure is tried again. */
export function phaseOfRun({ state, error }: Run): Phase {
  switch (state) {
    case 'QUEUED':
      return error === null ? 'queued' : 'retrying';
    case 'PROCESSING':
      return 'running';
    case 'SUCCEEDED':
      return 'succeeded';
    case 'FAILED':
      return 'failed';
    case 'CANCELED':
      return 'canceled';
  }
}
