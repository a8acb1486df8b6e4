import { type JobKind, defineJob } from '@millrace/engine';
import { REPORT, reportJobSchema } from './job-data.ts';
import { runReport } from './run/run-report.ts';
import type { Workshop } from './run/workshop.ts';
import type { ReportsConfig } from './settings.ts';

/** What the jobs of reports are given. */
export interface ReportsAtWork {
  readonly workshop: Workshop;
}

/** A report of ten million rows takes minutes; one that hangs is noticed by its source long before. */
const TIMEOUT = '24h';
/** Whoever stops the process does not wait for a sort: the next one goes on after the last chunk. */
const SHUTDOWN_GRACE = '10s';

/** Not public: a job's identity decides which rows it sees, and only the route knows the caller. */
export function reportKinds({
  concurrency,
  retry,
}: Pick<ReportsConfig, 'concurrency' | 'retry'>): JobKind<unknown, ReportsAtWork>[] {
  const report = defineJob({
    kind: REPORT,
    input: reportJobSchema,
    retry: { backoff: 'linear', retries: retry.retries, step: retry.stepMs },
    timeout: TIMEOUT,
    shutdownGrace: SHUTDOWN_GRACE,
    concurrency,
    run: (job, context, { workshop }: ReportsAtWork) => runReport(workshop, job, context),
    // What was written of the file stays for a retry to go on from; the sweep removes it once its job has ended for good.
    cleanup: ({ id }, _context, { workshop }) => workshop.forgetToken(id),
  });
  return [report] as JobKind<unknown, ReportsAtWork>[];
}
