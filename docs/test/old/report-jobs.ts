import pg from 'pg';

/** Report jobs of old, in the small and in TypeScript: a table that is polled, a claim by its status, and rules that a parent triggers. */

export const TABLES = `
CREATE TABLE report_jobs (
  job_id varchar PRIMARY KEY, report_type varchar NOT NULL, parameters jsonb NOT NULL, user_id varchar, jwt_token text,
  status varchar NOT NULL, priority int NOT NULL DEFAULT 5, processed_records bigint, total_records bigint, result_path varchar,
  error_message text, created_at timestamp NOT NULL DEFAULT (now() AT TIME ZONE 'UTC'), started_at timestamp, completed_at timestamp);
CREATE TABLE dependency_rules (
  id serial PRIMARY KEY, child_report varchar NOT NULL, parent_reports varchar[] NOT NULL, match_parameter varchar NOT NULL)`;

interface ReportJob {
  readonly job_id: string;
  readonly report_type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const NEXT = `SELECT job_id FROM report_jobs WHERE status = 'QUEUED' ORDER BY priority DESC, created_at LIMIT 3`;
const CLAIM = `
UPDATE report_jobs SET status = 'PROCESSING', started_at = now() AT TIME ZONE 'UTC'
 WHERE job_id = $1 AND status = 'QUEUED' RETURNING job_id, report_type, parameters`;
const END = `
UPDATE report_jobs SET status = $2, processed_records = $3, total_records = $3, error_message = $4, result_path = $5,
       completed_at = now() AT TIME ZONE 'UTC' WHERE job_id = $1`;
const RULES =
  'SELECT child_report, parent_reports, match_parameter FROM dependency_rules WHERE $1 = ANY (parent_reports)';
const DONE = `
SELECT count(DISTINCT report_type)::int AS done FROM report_jobs
 WHERE report_type = ANY ($1) AND status = 'COMPLETED' AND parameters->>$2 = $3`;

export interface OldReports {
  submit(job: { id: string; report: string; parameters: Record<string, string> }): Promise<void>;
  /** One poll: up to three jobs. How many there were. */
  pollAndDispatch(count: (report: string) => number): Promise<number>;
  close(): Promise<void>;
}

export function oldReports(databaseUrl: string): OldReports {
  const database = new pg.Pool({ connectionString: databaseUrl });

  async function submit({
    id,
    report,
    parameters,
  }: {
    id: string;
    report: string;
    parameters: object;
  }) {
    await database.query(
      `INSERT INTO report_jobs (job_id, report_type, parameters, user_id, status) VALUES ($1, $2, $3, 'ada', 'QUEUED')`,
      [id, report, JSON.stringify(parameters)],
    );
  }

  async function triggerDependentJobs(parent: ReportJob): Promise<void> {
    const { rows: rules } = await database.query<{
      child_report: string;
      parent_reports: string[];
      match_parameter: string;
    }>(RULES, [parent.report_type]);
    for (const { child_report: report, parent_reports: parents, match_parameter: name } of rules) {
      const value = parent.parameters[name] ?? '';
      const { rows } = await database.query<{ done: number }>(DONE, [parents, name, value]);
      if (rows[0]?.done === parents.length)
        await submit({ id: `${parent.job_id}-${report}`, report, parameters: { [name]: value } });
    }
  }

  return {
    submit,
    async pollAndDispatch(count) {
      const { rows: next } = await database.query<{ job_id: string }>(NEXT);
      for (const { job_id: id } of next) {
        const { rows } = await database.query<ReportJob>(CLAIM, [id]);
        const [job] = rows;
        if (job === undefined) continue;
        try {
          const records = count(job.report_type);
          await database.query(END, [id, 'COMPLETED', records, null, `/exports/${id}.csv`]);
          await triggerDependentJobs(job);
        } catch (error) {
          await database.query(END, [id, 'FAILED', 0, String(error), null]);
        }
      }
      return next.length;
    },
    close: () => database.end(),
  };
}
