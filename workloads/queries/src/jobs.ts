import type { JobRequest, Queue } from '@millrace/engine';
import type { PollData } from './poll/data.ts';
import type { RunRecord } from './runs/record.ts';

/** The jobs of a run, known by their keys: there is never more than one of each alive. */
export const EXECUTE = 'execute-shell-query';
export const POLL = 'poll-shell-query';

export interface RunJobs {
  /** Makes the job that starts the query, unless it is there. True: it was made. */
  enqueueExecute(run: RunRecord): Promise<boolean>;
  enqueuePoll(run: RunRecord): Promise<boolean>;
  /** The same for several, in one write. How many were made. */
  enqueuePolls(runs: readonly RunRecord[]): Promise<number>;
}

export function createRunJobs(parts: {
  queue: Pick<Queue, 'enqueueAll'>;
  initialDelayMs: number;
}): RunJobs {
  const { queue, initialDelayMs } = parts;
  async function made(requests: readonly JobRequest[]): Promise<number> {
    return (await queue.enqueueAll(requests)).filter(({ created }) => created).length;
  }
  const pollJob = (run: RunRecord): JobRequest => ({
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
export function executeKey({ id, asText }: RunRecord): string {
  return `execute-${id}${asText ? '-text' : ''}`;
}

function executeJob(run: RunRecord): JobRequest {
  const { id: runId, tenantId, userId, mid, eid, snippetName } = run;
  return {
    ...ofRun(run),
    kind: EXECUTE,
    key: executeKey(run),
    data: { runId, tenantId, userId, mid, eid, snippetName },
  };
}

function ofRun({ tenantId, userId, correlationId }: RunRecord) {
  return {
    tenant: tenantId,
    correlationId,
    ...(userId !== '' && { submitter: userId }),
    // One that has ended gives its key up at once: upkeep asks again only for runs that still live.
    keyWindow: 0,
  };
}

/** The polling of a run from its beginning. */
export function freshData(run: RunRecord): PollData {
  const { id: runId, tenantId, userId, mid, taskId, queryDefinitionId } = run;
  const { queryCustomerKey, targetDeName, pollStartedAt, createdAt } = run;
  return {
    runId,
    tenantId,
    userId,
    mid,
    taskId,
    queryDefinitionId,
    queryCustomerKey,
    targetDeName,
    pollCount: 0,
    pollStartedAt: new Date(pollStartedAt ?? createdAt).toISOString(),
    notRunningConfirmations: 0,
  };
}
