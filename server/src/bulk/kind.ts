import {
  type Chunk,
  JobFailure,
  type JobId,
  type JobKind,
  type JobSummary,
  type Outcome,
  type Queue,
  type Scope,
  defineJob,
  done,
} from '@millrace/engine';
import type { Bulk, BulkLog } from '@millrace/store-postgres';
import { z } from 'zod';
import { filterOf } from '../routes/json/filter.ts';
import { actOn, each } from './act.ts';
import {
  type BulkResult,
  NOTHING_DONE,
  askedOf,
  frozenOf,
  isOfGroup,
  scopeOfBulk,
} from './asked.ts';

export const BULK_KIND = 'millrace.bulk';

export interface BulkService {
  readonly log: BulkLog;
  readonly within: (scope: Scope) => Queue;
}

const CHUNK = 500;

/** Where the last saved chunk ended: a place in the list of ids, or in the list that the filter gives. */
interface Place {
  readonly at: number;
  readonly cursor: string | null;
  readonly result: BulkResult;
}

const BEGINNING: Place = { at: 0, cursor: null, result: NOTHING_DONE };

/** Does to many jobs what somebody has frozen, or undoes it, in chunks. */
export function bulkKind(): JobKind {
  return defineJob<{ bulk: string; undo?: true | undefined }, BulkService>({
    kind: BULK_KIND,
    input: z.object({ bulk: z.string(), undo: z.literal(true).optional() }),
    timeout: '12h',
    concurrency: 2,
    retention: { succeeded: '7d', failed: '7d', canceled: '7d' },
    async *run({ data, cursor }, _, service) {
      const bulk = await service.log.get({ id: data.bulk });
      if (bulk === null)
        throw new JobFailure('bulk_gone', 'The frozen list of jobs was deleted after 7 days.', {
          retryable: false,
        });
      const from = (cursor as Place | null) ?? BEGINNING;
      return yield* data.undo === true ? undo(bulk, service, from) : act(bulk, service, from);
    },
  });
}

type Work = AsyncGenerator<Chunk, Outcome, void>;

async function* act(bulk: Bulk, { log, within }: BulkService, from: Place): Work {
  const asked = askedOf(bulk);
  const queue = within(scopeOfBulk(bulk));
  const total = frozenOf(bulk).more ? undefined : (bulk.ids?.length ?? 0);
  let place = from;
  for (let isOver = false; !isOver;) {
    const { jobs, meant, next } = await chunkOf(bulk, queue, place);
    const result = await actOn(queue, log, bulk.id, asked, jobs, meant, place.result);
    await log.tell({ id: bulk.id, result: JSON.stringify(result) });
    place = { at: place.at + meant, cursor: next, result };
    isOver = total === undefined ? next === null : place.at >= total;
    yield {
      cursor: place,
      progress: { done: place.at, ...(total !== undefined && { total }) },
    };
  }
  const { failures: _, ...counts } = place.result;
  return done({ bulk: bulk.id, ...counts });
}

/** Newest first, and only downwards: what is made or fails again meanwhile is never met. */
async function chunkOf(
  bulk: Bulk,
  queue: Queue,
  { at, cursor }: Place,
): Promise<{ jobs: JobSummary[]; meant: number; next: string | null }> {
  if (bulk.ids !== null) {
    const ids = bulk.ids.slice(at, at + CHUNK);
    return { jobs: await queue.summaries(ids), meant: ids.length, next: null };
  }
  const asked = askedOf(bulk);
  const filter = filterOf(asked.filter ?? {}, { me: bulk.submitter, before: bulk.at });
  const from = cursor === null ? {} : { cursor };
  const page = await queue.list({ filter, limit: CHUNK, ...from });
  const jobs = page.jobs.filter(isOfGroup(asked.group));
  return { jobs, meant: jobs.length, next: page.next };
}

async function* undo(bulk: Bulk, { log, within }: BulkService, from: Place): Work {
  const { action } = askedOf(bulk);
  const queue = within(scopeOfBulk(bulk));
  let place = from;
  for (;;) {
    const after = place.cursor ?? '';
    const changes = await log.changes({ id: bulk.id, after, limit: CHUNK });
    const last = changes.at(-1);
    if (last === undefined) break;
    const before = new Map(changes.map((change) => [change.id, change.before]));
    const { did, failures } = await each(
      async (ids) => ({ changed: await back(queue, action, ids, before), requested: [] }),
      changes.map(({ id }) => id),
    );
    const { result } = place;
    place = {
      at: place.at + changes.length,
      cursor: last.id,
      result: {
        ...result,
        changed: result.changed + did.changed.length,
        skipped: result.skipped + changes.length - did.changed.length - failures.length,
        failed: result.failed + failures.length,
      },
    };
    yield { cursor: place, progress: { done: place.at } };
  }
  const { failures: _, requested: __, ...counts } = place.result;
  return done({ bulk: bulk.id, undone: true, ...counts });
}

async function back(
  queue: Queue,
  action: string,
  ids: readonly JobId[],
  before: ReadonlyMap<JobId, number | null>,
): Promise<JobId[]> {
  if (action === 'cancel') return queue.restore(ids);
  const changed: JobId[] = [];
  for (const priority of new Set(ids.map((id) => before.get(id) ?? null))) {
    const some = ids.filter((id) => (before.get(id) ?? null) === priority);
    changed.push(...(await queue.prioritize(some, priority)).map(({ id }) => id));
  }
  return changed;
}
