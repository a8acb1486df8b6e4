import { randomUUID } from 'node:crypto';
import type { BusinessUnit } from '@millrace/marketing-cloud';
import { DelayedError, type Job, Queue, Worker } from 'bullmq';
import pg from 'pg';

/**
 * Shell queries of old, in the small: a run table, snippets, and a queue with a job that starts a query and one that polls it, which
 * puts itself off. The bridge to Marketing Cloud is ours.
 */

export const TABLES = `
CREATE TABLE shell_query_runs (
  id uuid PRIMARY KEY, tenant_id varchar NOT NULL, user_id varchar NOT NULL, mid varchar NOT NULL, eid varchar NOT NULL,
  sql_text text NOT NULL, snippet_name varchar, status varchar NOT NULL, task_id varchar, query_definition_id varchar,
  poll_started_at timestamp, row_count int, error_message text, created_at timestamp NOT NULL DEFAULT (now() AT TIME ZONE 'UTC'),
  completed_at timestamp);
CREATE TABLE snippets (
  id uuid PRIMARY KEY, tenant_id varchar NOT NULL, user_id varchar NOT NULL, name varchar NOT NULL, sql_text text NOT NULL,
  is_shared boolean NOT NULL DEFAULT false)`;

interface PollShellQueryJob {
  readonly runId: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly mid: string;
  readonly taskId: string;
  readonly queryDefinitionId: string;
  readonly queryCustomerKey: string;
  readonly targetDeName: string;
  readonly pollCount: number;
  readonly pollStartedAt: string;
}

export interface OldShellQueries {
  /** As `POST /runs` of old. */
  submit(run: { sql: string; userId: string; snippet?: string }): Promise<string>;
  /** The worker of both jobs. */
  work(): Worker;
  readonly queue: Queue;
  close(): Promise<void>;
}

const QUEUE = 'shell-query';
const DELAY_MS = 50; // INITIAL_DELAY_MS is 2,000

export function oldShellQueries(params: {
  databaseUrl: string;
  redisUrl: string;
  mid: string;
  unit: BusinessUnit;
}): OldShellQueries {
  const { mid, unit } = params;
  const database = new pg.Pool({ connectionString: params.databaseUrl });
  const connection = { url: params.redisUrl, maxRetriesPerRequest: null };
  const queue = new Queue(QUEUE, { connection });

  async function handleExecute({ data: { runId } }: Job<{ runId: string }>): Promise<void> {
    const { rows } = await database.query<{ sql_text: string; user_id: string }>(
      'SELECT sql_text, user_id FROM shell_query_runs WHERE id = $1',
      [runId],
    );
    const { sql_text: sql = '', user_id: userId = '' } = rows[0] ?? {};
    const key = `QPP_${runId.slice(0, 8)}`;
    const fields = [{ name: 'SubscriberKey', type: 'Text', maxLength: 254 } as const];
    await unit.createDataExtension({ name: key, customerKey: key, fields });
    const target = { customerKey: key, name: key };
    const { objectId } = await unit.createQuery({ name: key, customerKey: key, sql, target });
    const { taskId } = await unit.startQuery(objectId);
    await database.query(
      `UPDATE shell_query_runs SET status = 'running', task_id = $2, query_definition_id = $3,
              poll_started_at = now() AT TIME ZONE 'UTC' WHERE id = $1`,
      [runId, taskId, objectId],
    );
    const data: PollShellQueryJob = {
      runId,
      tenantId: '',
      userId,
      mid,
      taskId,
      queryDefinitionId: objectId,
      queryCustomerKey: key,
      targetDeName: key,
      pollCount: 0,
      pollStartedAt: new Date().toISOString(),
    };
    await queue.add('poll-shell-query', data, { delay: DELAY_MS, jobId: `poll-${runId}` });
  }

  async function handlePoll(job: Job<PollShellQueryJob>, token: string): Promise<void> {
    const { runId, taskId, queryDefinitionId, targetDeName, pollCount } = job.data;
    const [status] = await unit.taskStatuses([taskId]);
    if (status?.status?.trim().toLowerCase() === 'complete') {
      const { count } = await unit.rows(targetDeName, { pageSize: 1 });
      await database.query(
        `UPDATE shell_query_runs SET status = 'ready', row_count = $2, completed_at = now() AT TIME ZONE 'UTC' WHERE id = $1`,
        [runId, count],
      );
      await unit.deleteQuery(queryDefinitionId);
      return;
    }
    await job.updateData({ ...job.data, pollCount: pollCount + 1 });
    await job.moveToDelayed(Date.now() + DELAY_MS, token);
    throw new DelayedError();
  }

  return {
    queue,
    async submit({ sql, userId, snippet }) {
      const runId = randomUUID();
      await database.query(
        `INSERT INTO shell_query_runs (id, tenant_id, user_id, mid, eid, sql_text, snippet_name, status)
         VALUES ($1, '', $2, $3, '1', $4, $5, 'queued')`,
        [runId, userId, mid, sql, snippet ?? null],
      );
      await queue.add('execute-shell-query', {
        runId,
        tenantId: '',
        userId,
        mid,
        eid: '1',
        sqlText: sql,
      });
      return runId;
    },
    work: () =>
      new Worker(
        QUEUE,
        async (job: Job, token = '') =>
          job.name === 'execute-shell-query' ? handleExecute(job) : handlePoll(job, token),
        { connection, concurrency: 50 },
      ),
    async close() {
      await queue.close();
      await database.end();
    },
  };
}
