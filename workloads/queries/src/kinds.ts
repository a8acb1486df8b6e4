import { type JobKind, type Retention, RETRY, defineJob } from '@millrace/engine';
import { executeDataSchema } from './execute/data.ts';
import { runExecute } from './execute/execute.ts';
import { EXECUTE, POLL } from './jobs.ts';
import { pollDataSchema } from './poll/data.ts';
import { runPoll } from './poll/poll.ts';
import type { Queries } from './queries.ts';

/** What a job leaves behind tells little: the run has it all. */
const KEEP: Retention = { succeeded: '1h', failed: '24h', canceled: '24h' };

/** Neither is public: runs are made by POST /runs, and nobody names an object in Marketing Cloud. */
export function queryKinds(concurrency: number): JobKind<unknown, Queries>[] {
  const execute = defineJob({
    kind: EXECUTE,
    input: executeDataSchema,
    retry: RETRY.polls,
    // Seconds in general; a throttled account makes the connector wait.
    timeout: '5m',
    concurrency,
    retention: KEEP,
    run: (job, context, { workshop }: Queries) => runExecute(workshop(), job, context),
  });
  const poll = defineJob({
    kind: POLL,
    input: pollDataSchema,
    retry: RETRY.polls,
    timeout: '2m',
    concurrency,
    retention: KEEP,
    run: (job, context, { workshop }: Queries) => runPoll(workshop(), job, context),
  });
  return [execute, poll] as JobKind<unknown, Queries>[];
}
