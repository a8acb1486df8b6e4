import type { JobId, JobSummary, Queue } from '@millrace/engine';
import { StoreUnavailable } from '@millrace/engine';
import type { BulkLog } from '@millrace/store-postgres';
import { type AskedBulk, type BulkResult, takes } from './asked.ts';

const FAILURES_KEPT = 100;

/** The outcome of an action on the jobs of one chunk. */
interface Did {
  readonly changed: readonly JobId[];
  readonly requested: readonly JobId[];
}

/**
 * Does the action to one chunk, and adds up what became of it. Doing it again changes nothing more: jobs that have moved on are
 * passed over. A process that dies between the action and the saving of the chunk leaves jobs that count as passed over then.
 */
export async function actOn(
  queue: Queue,
  log: Pick<BulkLog, 'change' | 'forget'>,
  bulk: string,
  { action, priority }: AskedBulk,
  jobs: readonly JobSummary[],
  meant: number,
  before: BulkResult,
): Promise<BulkResult> {
  const taking = jobs.filter(({ state }) => takes(action, state));
  const ids = taking.map(({ id }) => id);
  const undoable = action === 'priority' || action === 'cancel';
  // Noted before it is done: what was done and not noted could not be undone.
  if (undoable)
    await log.change({
      id: bulk,
      changes: taking
        .filter(({ state }) => state !== 'FAILED')
        .map((job) => ({ id: job.id, before: job.priority })),
    });
  const act = (some: readonly JobId[]): Promise<Did> => once(queue, action, priority, some);
  const { did, failures } = await each(act, ids);
  const moved = new Set([...did.changed, ...did.requested]);
  const left = ids.filter((id) => !moved.has(id));
  if (undoable && left.length > 0) await log.forget({ id: bulk, jobs: left });
  return {
    changed: before.changed + did.changed.length,
    requested: before.requested + did.requested.length,
    skipped: before.skipped + meant - moved.size - failures.length,
    failed: before.failed + failures.length,
    failures: [...before.failures, ...failures].slice(0, FAILURES_KEPT),
  };
}

async function once(
  queue: Queue,
  action: AskedBulk['action'],
  priority: number | null,
  ids: readonly JobId[],
): Promise<Did> {
  switch (action) {
    case 'retry':
      return { changed: await queue.retry(ids), requested: [] };
    case 'cancel': {
      const { canceled, requested } = await queue.cancel(ids);
      return { changed: canceled, requested };
    }
    case 'priority': {
      const changed = await queue.prioritize(ids, priority);
      return { changed: changed.map(({ id }) => id), requested: [] };
    }
    case 'delete': {
      const removed: JobId[] = [];
      for (const id of ids) if (await queue.remove(id)) removed.push(id);
      return { changed: removed, requested: [] };
    }
  }
}

/** All at once; where a store refuses, one by one, so that one job does not keep the others from it. */
export async function each(
  act: (ids: readonly JobId[]) => Promise<Did>,
  ids: readonly JobId[],
): Promise<{ did: Did; failures: { id: JobId; message: string }[] }> {
  if (ids.length === 0) return { did: { changed: [], requested: [] }, failures: [] };
  try {
    return { did: await act(ids), failures: [] };
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    if (ids.length === 1) {
      const message = error instanceof Error ? error.message : String(error);
      return {
        did: { changed: [], requested: [] },
        failures: ids.map((id) => ({ id, message: message.slice(0, 300) })),
      };
    }
  }
  const changed: JobId[] = [];
  const requested: JobId[] = [];
  const failures: { id: JobId; message: string }[] = [];
  for (const id of ids) {
    const one = await each(act, [id]);
    changed.push(...one.did.changed);
    requested.push(...one.did.requested);
    failures.push(...one.failures);
  }
  return { did: { changed, requested }, failures };
}
