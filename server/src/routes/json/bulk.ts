import type { BulkActionJson } from '@millrace/api';
import type { JobSummary, Queue } from '@millrace/engine';
import type { Bulk } from '@millrace/store-postgres';
import { iso } from '@millrace/workload-kit';
import { type BulkResult, askedOf, frozenOf, resultOf } from '../../bulk/asked.ts';
import { type seenBy, summaryJson } from './job.ts';

const KEPT_MS = 7 * 24 * 3_600_000;

/** A bulk action with its job and its sample as they are now. */
export async function bulkJson(
  queue: Pick<Queue, 'summaries'>,
  bulk: Bulk,
  seen: ReturnType<typeof seenBy>,
): Promise<BulkActionJson> {
  const { action, filter, priority } = askedOf(bulk);
  const { sample, ...frozen } = frozenOf(bulk);
  const jobs = await queue.summaries([...sample, ...(bulk.job === null ? [] : [bulk.job])]);
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const job = byId.get(bulk.job ?? '') ?? null;
  const state = stateOf(bulk, job);
  const result = resultOf(bulk);
  return {
    id: bulk.id,
    action,
    priority,
    filter: filter === null ? null : withoutAll(filter),
    by: bulk.submitter,
    frozenAt: iso(bulk.at),
    ...frozen,
    sample: sample.flatMap((id) => {
      const found = byId.get(id);
      return found === undefined ? [] : [summaryJson(found, seen)];
    }),
    state,
    job: bulk.job,
    progress: job?.progress ?? null,
    result,
    undo: undoOf(bulk, action, state, result),
    erasedAt: iso(bulk.at + KEPT_MS),
  };
}

/** `all` has said what it had to. */
function withoutAll(filter: object): BulkActionJson['filter'] {
  return Object.fromEntries(Object.entries(filter).filter(([name]) => name !== 'all'));
}

function stateOf({ job: id, result }: Bulk, job: JobSummary | null): BulkActionJson['state'] {
  if (id === null) return 'frozen';
  switch (job?.state) {
    case 'QUEUED':
    case 'PROCESSING':
      return 'running';
    case 'FAILED':
      return 'failed';
    case 'CANCELED':
      return 'canceled';
    case 'SUCCEEDED':
      return 'done';
    default:
      // Whoever may see the action may not see its job, or it is gone: then it has ended.
      return result === null ? 'running' : 'done';
  }
}

function undoOf(
  { undoneBy }: Bulk,
  action: BulkActionJson['action'],
  state: BulkActionJson['state'],
  result: BulkResult | null,
): BulkActionJson['undo'] {
  const cannot = (sentence: string): BulkActionJson['undo'] => ({
    possible: false,
    job: undoneBy,
    sentence,
  });
  if (undoneBy !== null) return cannot('It was already undone, or is being undone.');
  if (action === 'delete') return cannot('Deleted jobs cannot be restored.');
  if (action === 'retry') return cannot('Retried jobs may have run already; cancel them instead.');
  if (state === 'frozen') return cannot('Nothing has been done yet.');
  if (state === 'running') return cannot('It is still running: cancel its job first.');
  if (result === null || result.changed + result.requested === 0)
    return cannot('It changed nothing.');
  const sentence =
    action === 'cancel'
      ? 'Jobs that are still cancelled are queued again as before. Jobs that had failed before stay cancelled.'
      : 'Jobs that are still queued get their old priority back.';
  return { possible: true, job: null, sentence };
}
