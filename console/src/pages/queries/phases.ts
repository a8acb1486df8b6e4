import type { Client } from '@millrace/api';
import type { Phase } from '../../ui/state.tsx';

export type QueryRun = Awaited<ReturnType<Client['getRun']>>;

export const QUERY_PHASES: Readonly<Record<QueryRun['status'], Phase>> = {
  queued: 'queued',
  running: 'running',
  ready: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
};
