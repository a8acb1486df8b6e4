import type { Statement } from '@millrace/store-postgres';
import { anyMoment, importer, isExpired } from '@millrace/workload-kit';
import { z } from 'zod';
import { compression, format, reportName } from '../contract/values.ts';
import type { ReportsConfig } from '../settings.ts';

const value = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** A run of another system that is over, for the history: its file stays where it is. */
const runLine = z.strictObject({
  id: z.string().min(1).max(200),
  report: reportName,
  title: z.string().max(200).nullish(),
  tenant: z.string().max(100).default(''),
  submitter: z.string().min(1).max(200).nullish(),
  state: z.enum(['SUCCEEDED', 'FAILED', 'CANCELED'], {
    error: 'Only runs that are over can be imported: SUCCEEDED, FAILED or CANCELED.',
  }),
  parameters: z.record(z.string(), z.union([value, z.array(value), z.null()])).default({}),
  format: format.default('csv'),
  compression: compression.default(null),
  rows: z.int().min(0).nullish(),
  error: z.string().nullish(),
  createdAt: anyMoment,
  startedAt: anyMoment.nullish(),
  finishedAt: anyMoment,
});

/** In place of the digest of a definition: nobody has kept what the report said then. */
const DIGEST = 'imported';

// A number of the jobs, so that no job ever has it. $1 report $2 digest $3 title $4 parameters $5 tenant $6 submitter $7 correlation id
// $8 format $9 compression $10 rows $11 state $12 error code $13 error $14 created $15 started $16 finished
const ADD: Statement = {
  name: 'reports_import_run',
  text: `
INSERT INTO millrace.report_runs (seq, job, report, digest, title, parameters, tenant, submitter, correlation_id, format, compression, rows,
                                  state, error_code, error_message, created_at, started_at, finished_at)
SELECT seq, 'pg-' || seq, $1, $2, $3, $4::text::jsonb, $5, $6, $7, $8, $9, $10::float8, $11, $12, $13, $14::text::timestamptz,
       $15::text::timestamptz, $16::text::timestamptz
  FROM (SELECT nextval(pg_get_serial_sequence('millrace.jobs', 'seq')) AS seq) n
RETURNING job`,
};

// $1 correlation id $2 digest $3 tenant
const FIND: Statement = {
  name: 'reports_imported_run',
  text: `SELECT job FROM millrace.report_runs WHERE correlation_id = $1 AND digest = $2 AND tenant = $3`,
};

export const runImport = importer(runLine, async (session, run, config: ReportsConfig) => {
  if (await isExpired(session, run.finishedAt, config.keepRunsMs)) return { outcome: 'expired' };
  const [there] = await session.query<{ job: string }>(FIND, [run.id, DIGEST, run.tenant]);
  if (there !== undefined) return { outcome: 'there', as: there.job };
  const [added] = await session.query<{ job: string }>(ADD, [
    run.report,
    DIGEST,
    run.title ?? run.report,
    JSON.stringify(run.parameters),
    run.tenant,
    run.submitter ?? null,
    run.id,
    run.format,
    run.compression,
    run.rows ?? null,
    run.state,
    run.state === 'FAILED' ? 'unknown' : null,
    run.state === 'FAILED' ? (run.error ?? 'It gave no reason.') : null,
    run.createdAt,
    run.startedAt ?? null,
    run.finishedAt,
  ]);
  return { outcome: 'added', as: added?.job ?? '' };
});
