import { type Contract } from '@millrace/workload-kit/contract';
import { z } from 'zod';
import { byRun } from './values.ts';

export const fileContracts = {
  downloadReportFile: {
    method: 'GET',
    path: '/reports/runs/:id/file',
    summary: 'The file of a run that went well; takes a range of bytes. Its etag is its SHA-256.',
    access: 'member',
    audit: { target: 'id', once: true },
    params: byRun,
    response: z.unknown(),
    statuses: [200, 206],
    media: 'application/octet-stream',
    errors: [
      'report_run_not_found',
      'report_run_not_ready',
      'report_run_not_successful',
      'report_file_expired',
      'report_file_lost',
      'report_storage_unavailable',
      'report_storage_refused',
      'claim_missing',
      'invalid_range',
    ],
    example: { params: { id: 'pg-42' }, response: 'County,Hours\r\n19,7.5\r\n…' },
  },
  deleteReportFile: {
    method: 'DELETE',
    path: '/reports/runs/:id/file',
    summary: 'Removes the file of a run before its time. The run stays in the history.',
    access: 'member',
    audit: { target: 'id', count: 1 },
    params: byRun,
    response: z.object({ removed: z.string().describe('The id of the run.') }),
    statuses: [200],
    errors: [
      'report_run_not_found',
      'report_run_not_ready',
      'report_run_not_successful',
      'report_file_expired',
    ],
    example: { params: { id: 'pg-42' }, response: { removed: 'pg-42' } },
  },
} as const satisfies Record<string, Contract>;
