import { ALL, LIMITS, counted, quantile, rate } from './figures.mjs';
import { dashboard, lines } from './grafana.mjs';

/** How often, of all replicas chosen by installation. @param {string} metric @param {string} [by] */
const often = (metric, by = '') => counted(metric, by, ALL);

export const reports = dashboard({
  name: 'reports',
  title: 'Millrace / Reports',
  description: 'How do reports get on: rows, files, and what comes in their way?',
  panels: [
    lines({
      title: 'Runs that are not over',
      help: 'Over all replicas. QUEUED ones wait for a slot, or for the database to come back.',
      unit: 'short',
      stack: 'normal',
      queries: [[`max by (job, state) (report_live_runs{${ALL}})`, '{{state}}']],
    }),
    lines({
      title: 'Runs that ended',
      help: 'By how they ended.',
      unit: 'short',
      stack: 'normal',
      queries: [[often('report_runs_total', 'state'), '{{state}}']],
    }),
    lines({
      title: 'Rows written',
      help: 'A second, by format, as they are made safe chunk by chunk.',
      unit: 'short',
      stack: 'normal',
      queries: [[rate('report_rows_total', 'format', ALL), '{{format}}']],
    }),
    lines({
      title: 'Bytes read for files',
      help: 'A second, as the database sends them, before they are packed.',
      unit: 'Bps',
      stack: 'normal',
      queries: [[rate('report_bytes_total', 'format', ALL), '{{format}}']],
    }),
    lines({
      title: 'Time of a run',
      help: 'From its first start to its file, interruptions included.',
      unit: 's',
      queries: [
        [quantile(0.5, 'report_duration_seconds', 'format', ALL), '{{format}} P50'],
        [quantile(0.95, 'report_duration_seconds', 'format', ALL), '{{format}} P95'],
      ],
    }),
    lines({
      title: 'Executions that failed',
      help: 'By code; docs/errors.md explains each.',
      unit: 'short',
      stack: 'normal',
      steps: LIMITS.any,
      queries: [[often('report_failures_total', 'code'), '{{code}}']],
    }),
    lines({
      title: 'Interruptions',
      help: 'Runs that went on from a saved chunk, and those whose file had to be begun again.',
      unit: 'short',
      queries: [
        [often('report_resumes_total'), 'went on'],
        [often('report_restarts_total'), 'begun again'],
      ],
    }),
    lines({
      title: 'Files',
      help: 'Downloads, and files that were removed: expired, by hand, or with a person.',
      unit: 'short',
      queries: [
        [often('report_downloads_total'), 'downloads'],
        [often('report_files_removed_total', 'why'), 'removed: {{why}}'],
      ],
    }),
    lines({
      title: 'Files of reports that are wrong',
      help: 'An older version may be in force; `millrace reports` says what is wrong.',
      unit: 'short',
      steps: LIMITS.any,
      queries: [[`max by (job) (report_broken_files{${ALL}})`, 'files']],
    }),
    lines({
      title: 'The database of the reports',
      help: 'Times that it was asked for a snapshot, by how it answered.',
      unit: 'short',
      stack: 'normal',
      queries: [
        [
          counted(
            'dependency_duration_seconds_count',
            'outcome',
            `${ALL}, dependency="reports_source"`,
          ),
          '{{outcome}}',
        ],
      ],
    }),
  ],
});
