import { StoreUnavailable } from '@millrace/engine';
import type { Session } from '@millrace/store-postgres';
import { type BatchRecord, type NewBatch, batchRows } from './records.ts';

export interface InsertedBatch {
  readonly batch: BatchRecord;
  /** False: it has the key, and its rows are there already. */
  readonly isNew: boolean;
}

/** Tries at a key whose batch is removed each time it is looked for. */
const TRIES = 5;

/** A batch whose rows are to come, or the one that has the key. One whose rows never all came is begun from the start. */
export async function insertBatch(session: Session, batch: NewBatch): Promise<InsertedBatch> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const made = await batchRows.insert(session, batch);
    if (made !== null) return { batch: made, isNew: true };
    const other = await batchRows.byKey(session, batch.tenant, batch.key ?? '');
    if (other?.state === 'LOADING') await batchRows.removeLoading(session, other.seq);
    else if (other !== null) return { batch: other, isNew: false };
  }
  throw new StoreUnavailable('A key of batches changed hands again and again. Send it again.');
}
