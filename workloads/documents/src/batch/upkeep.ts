import type { Queue } from '@millrace/engine';
import type { Database } from '@millrace/store-postgres';
import { seqOf } from '../ids.ts';
import { type ItemCounts, items } from './items.ts';
import { batchJob, failureOf, jobsOf } from './jobs.ts';
import { type BatchRecord, batchRows } from './records.ts';

/** What the job of a batch does to its tables. */
export interface BatchUpkeep {
  find(id: string, tenant: string): Promise<BatchRecord | null>;
  counts(batch: BatchRecord): Promise<ItemCounts>;
  pending(batch: BatchRecord, after: number, limit: number): Promise<number[]>;
  /** Whom these items are about, for the subject of their jobs. */
  subjects(batch: BatchRecord, chunk: readonly number[]): Promise<Map<number, string>>;
  /** Of the jobs of its items. */
  priority(batch: BatchRecord): Promise<number | null>;
  /** Items whose jobs ended without their handler get the end of their job. */
  reconcile(batch: BatchRecord): Promise<number>;
  finish(batch: BatchRecord): Promise<boolean>;
  /** Makes the batch's job, unless it is there. */
  begin(batch: BatchRecord): Promise<void>;
}

/**
 * Someone looks on while a preview, a few rows or a few corrections are made, and ten thousand rows of somebody else
 * may be queued before them. A job with any priority goes before those with none.
 */
const SMALL_BATCH = { rows: 100, priority: 0 };

export function createUpkeep(parts: {
  database: Database;
  queue: Pick<Queue, 'enqueue' | 'list'>;
}): BatchUpkeep {
  const { database, queue } = parts;
  return {
    async begin(batch) {
      const { id } = await queue.enqueue(batchJob(batch));
      await batchRows.setJob(database, batch, id);
    },
    async find(id, tenant) {
      const seq = seqOf('batch', id);
      return seq === null ? null : batchRows.get(database, seq, tenant);
    },
    counts: ({ seq }) => items.counts(database, seq),
    pending: ({ seq, run }, after, limit) => items.pending(database, seq, run, after, limit),
    subjects: ({ seq }, chunk) => items.subjects(database, seq, chunk),
    async priority(batch) {
      const { seq, run, priority, settings } = batch;
      if (priority !== null || settings.preview !== undefined)
        return priority ?? SMALL_BATCH.priority;
      const isSmall = (await items.inRun(database, seq, run)) <= SMALL_BATCH.rows;
      return isSmall ? SMALL_BATCH.priority : null;
    },
    finish: ({ seq, run }) => batchRows.finish(database, seq, run),
    async reconcile(batch) {
      let closed = 0;
      for (const state of ['FAILED', 'CANCELED'] as const)
        for await (const jobs of jobsOf(queue, batch, state))
          closed += await items.close(database, batch.seq, jobs.map(failureOf));
      return closed;
    },
  };
}
