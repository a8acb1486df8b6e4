import type { JobRequest, Queue } from '@millrace/engine';
import type { PollData } from './poll/data.ts';
import type { QueryRunRecord } from './runs/query-run.ts';

/** The jobs of a run, known by their keys: there is never more than one of each alive. */
export const EXECUTE = 'execute-shell-query';
export const POLL = 'poll-shell-query';

export interface RunJobs {
  /** Makes the job that starts the query, unless it is there. True: it was made. */
  enqueueExecute(run: QueryRunRecord): Promise<boolean>;
  enqueuePoll(run: QueryRunRecord): Promise<boolean>;
  /** The same for several, in one write. How many were made. */
  enqueuePolls(runs: readonly QueryRunRecord[]): Promise<number>;
}

export function createRunJobs(parts: {
  queue: Pick<Queue, 'enqueueAll'>;
  initialDelayMs: number;
}): RunJobs {
  const { queue, initialDelayMs } = parts;
  async function made(requests: readonly JobRequest[]): Promise<number> {
    return (await queue.enqueueAll(requests)).filter(({ created }) => created).length;
  }
  const pollJob = (run: QueryRunRecord): JobRequest => ({
    ...ofRun(run),
    kind: POLL,
    key: `poll-${run.id}`,
    data: freshData(run),
    delay: initialDelayMs,
  });
  return {
    enqueueExecute: async (run) => (await made([executeJob(run)])) === 1,
    enqueuePoll: async (run) => (await made([pollJob(run)])) === 1,
    enqueuePolls: (runs) => made(runs.map(pollJob)),
  };
}

/** Of each try: the second has a job of its own. */
export function executeKey({ id, asText }: QueryRunRecord): string {
  return `execute-${id}${asText ? '-text' : ''}`;
}

function executeJob(run: QueryRunRecord): JobRequest {
  const { id: runId, tenant, submitter, mid, eid, snippetName } = run;
  return {
    ...ofRun(run),
    kind: EXECUTE,
    key: executeKey(run),
    data: { runId, tenantId: tenant, userId: submitter ?? '', mid, eid, snippetName },
  };
}

function ofRun({ tenant, submitter, correlationId }: QueryRunRecord) {
  return {
    tenant,
    correlationId,
    ...(submitter !== null && { submitter }),
    // One that has ended gives its key up at once: upkeep asks again only for runs that still live.
    keyWindow: 0,
  };
}

/** The polling of a run from its beginning. */
export function freshData(run: QueryRunRecord): PollData {
  const { id: runId, tenant, submitter, mid, taskId, queryDefinitionId } = run;
  const { queryCustomerKey, targetDeName, startedAt, createdAt } = run;
  return {
    runId,
    tenantId: tenant,
    userId: submitter ?? '',
    mid,
    taskId,
    queryDefinitionId,
    queryCustomerKey,
    targetDeName,
    pollCount: 0,
    pollStartedAt: new Date(startedAt ?? createdAt).toISOString(),
    notRunningConfirmations: 0,
  };
}
