import { JobFailure } from '@millrace/engine';
import type { ReportResult } from '../result.ts';
import type { Prepared } from './prepare.ts';
import type { Execution } from './workshop.ts';

/**
 * Tells another service that the file is there, before the job ends: with the token of whoever submitted the report, where it is
 * kept. The id is the same over all tries, so that the receiver can drop a repetition.
 */
export async function handOver(
  { workshop, job, context }: Execution,
  { report }: Pick<Prepared, 'report'>,
  result: ReportResult,
): Promise<void> {
  const { handOver: url, keepToken } = report.value;
  if (url === null) return;
  const bearer = keepToken ? await workshop.token(job) : null;
  if (keepToken && bearer === null)
    throw new JobFailure(
      'token_gone',
      'The token that was kept for the run can no longer be read, and the service that it is handed over to asks for it. Submit the report again.',
      { retryable: false },
    );
  await workshop.deliver({
    url,
    id: `report_${job.id}_${job.createdAt}`,
    body: { run: job.id, ...result, submitter: job.submitter },
    correlationId: job.correlationId,
    ...(bearer !== null && { bearer }),
    signal: context.signal,
  });
}

/** The other service is away or busy: the file is not written again for that. */
export class NotHandedOver extends Error {
  override readonly name = 'NotHandedOver';
  readonly result: ReportResult;
  readonly failure: JobFailure;
  constructor(failure: JobFailure, result: ReportResult) {
    super(failure.message, { cause: failure });
    this.result = result;
    this.failure = failure;
  }
}
