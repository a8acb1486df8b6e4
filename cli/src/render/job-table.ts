import type { JobSummary } from '@millrace/api';
import { STATE_STYLE } from './colour.ts';
import { noteOf, whenOf } from './job-note.ts';
import type { Column } from './table.ts';
import { age } from './time.ts';

export function jobColumns(now: number, rows: readonly JobSummary[]): Column<JobSummary>[] {
  const tenant: Column<JobSummary> = {
    header: 'TENANT',
    shrinkTo: 6,
    leaveOut: 1,
    cell: (job) => job.tenant,
  };
  return [
    { header: 'ID', cell: (job) => job.id },
    { header: 'KIND', shrinkTo: 6, cell: (job) => job.kind },
    ...(rows.some((job) => job.tenant !== '') ? [tenant] : []),
    { header: 'STATE', cell: (job) => job.state, style: (job) => STATE_STYLE[job.state] },
    {
      header: 'ATTEMPT',
      align: 'right',
      leaveOut: 4,
      cell: (job) => `${job.attempt}/${job.maxAttempts}`,
    },
    {
      header: 'PRIO',
      align: 'right',
      leaveOut: 5,
      cell: (job) => (job.priority === null ? '-' : String(job.priority)),
    },
    {
      header: 'AGE',
      align: 'right',
      leaveOut: 3,
      cell: (job) => age(now - Date.parse(job.createdAt)),
    },
    { header: 'WHEN', cell: (job) => whenOf(job, now) },
    {
      header: 'NOTE',
      shrinkTo: 12,
      leaveOut: 2,
      cell: noteOf,
      style: (job) => (job.state === 'FAILED' ? 'red' : 'dim'),
    },
  ];
}
