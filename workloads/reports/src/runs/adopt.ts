import type { Job } from '@millrace/engine';
import type { Session } from '@millrace/store-postgres';
import { REPORT, reportJobSchema } from '../job-data.ts';
import { type RunRecord, seqOf } from './record.ts';
import { runRows } from './records.ts';

/**
 * Makes the row of a run whose job a schedule or a rule has made: those are made inside the store, which knows nothing of
 * reports. Null: it has one, or the job is none of a report.
 */
export async function adopt(session: Session, job: Job): Promise<RunRecord | null> {
  const seq = seqOf(job.id);
  if (job.kind !== REPORT || job.payload === null || seq === null) return null;
  const parsed = reportJobSchema.safeParse(JSON.parse(job.payload));
  // A rule whose code failed makes such a job; it fails by itself and says why.
  if (!parsed.success) return null;
  const { report, digest, parameters = {}, output, identity } = parsed.data;
  return runRows.add(session, {
    seq,
    id: job.id,
    report,
    digest,
    title: report,
    parameters,
    tenant: job.tenant,
    submitter: job.submitter,
    identity,
    correlationId: job.correlationId ?? job.id,
    schedule: job.schedule,
    parents: job.parents,
    format: output.format,
    compression: output.compression,
    token: null,
    tokenExpiresAt: null,
    createdAt: job.createdAt,
  });
}
