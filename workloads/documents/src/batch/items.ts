import { type Lease, storableText } from '@millrace/engine';
import { type Param, type Session, type Statement, numbers, texts } from '@millrace/store-postgres';
import { idOf } from '../ids.ts';

/**
 * The items of a batch. Each is written by its own execution, which names the run it belongs to and the epoch of its
 * lease:
 *
 *     PENDING ── begin(run, epoch) ──► RUNNING ── end(run, epoch) ──► SUCCEEDED | FAILED | PENDING (another try)
 *
 * `begin` takes the item for a higher epoch only, and `end` changes it only while the item is still of that run and
 * epoch. So an execution that lost its lease can write until its successor begins, and then no more; what it wrote
 * before is true (the same data gives the same document), and the successor finds it and makes nothing again. Cancel and
 * retry of the batch count the run up, which shuts out every execution of the run before.
 */
export type ItemState = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELED';

/** Which item an execution is about. */
export interface ItemRef {
  readonly batch: number;
  readonly item: number;
  readonly run: number;
}

export type Begun =
  | { readonly type: 'begun'; readonly data: string }
  /** Made already, by an execution before. */
  | { readonly type: 'made'; readonly fileId: string; readonly docxFileId: string | null }
  /** Canceled, of an earlier run, taken by a later execution, or not there. */
  | { readonly type: 'refused' };

/** `warned` are those of the succeeded whose documents lack something. */
export type ItemCounts = Readonly<Record<Lowercase<ItemState> | 'warned', number>>;

export const INVALID_ROW = 'invalid_row';

// $1 batch $2 item $3 run $4 epoch $5 job $6 tenant
const BEGIN: Statement = {
  name: 'documents_begin_item',
  text: `
UPDATE millrace.document_items
   SET state = 'RUNNING', epoch = $4, job = $5, error_code = NULL, error_message = NULL, warning = NULL
 WHERE batch = $1 AND item = $2 AND run = $3 AND epoch < $4 AND state <> 'SUCCEEDED' AND data IS NOT NULL
   AND EXISTS (SELECT FROM millrace.document_batches WHERE seq = $1 AND tenant = $6)
RETURNING data`,
};

// $1 batch $2 item $3 run $4 tenant
const MADE: Statement = {
  name: 'documents_made_item',
  text: `
SELECT output, docx FROM millrace.document_items
 WHERE batch = $1 AND item = $2 AND run = $3 AND state = 'SUCCEEDED'
   AND EXISTS (SELECT FROM millrace.document_batches WHERE seq = $1 AND tenant = $4)`,
};

// $1 batch $2 item $3 run $4 epoch $5 state $6 error code $7 error message $8 output $9 docx $10 warning
const END: Statement = {
  name: 'documents_end_item',
  text: `
UPDATE millrace.document_items
   SET state = $5, error_code = $6, error_message = $7, output = $8, docx = $9, warning = $10
 WHERE batch = $1 AND item = $2 AND run = $3 AND epoch = $4 AND state <> 'SUCCEEDED'
RETURNING item`,
};

// For jobs that ended without their handler: canceled by hand, lost with their worker, out of time.
// $1 batch $2 run[] $3 item[] $4 state[] $5 error code[] $6 error message[]
const CLOSE: Statement = {
  name: 'documents_close_items',
  text: `
UPDATE millrace.document_items i
   SET state = u.state, error_code = u.code, error_message = u.message
  FROM unnest($2::text::int[], $3::text::int[], $4::text::text[], $5::text::text[], $6::text::text[])
       AS u(run, item, state, code, message)
 WHERE i.batch = $1 AND i.item = ANY ($3::text::int[]) AND i.item = u.item AND i.run = u.run AND i.state IN ('PENDING', 'RUNNING')
RETURNING i.item`,
};

// $1 batch
const COUNTS: Statement = {
  name: 'documents_count_items',
  text: `SELECT state, count(*)::int AS n, count(warning)::int AS warned FROM millrace.document_items WHERE batch = $1 GROUP BY state`,
};

// $1 batch $2 run $3 after $4 limit
const PENDING: Statement = {
  name: 'documents_pending_items',
  text: `
SELECT item FROM millrace.document_items
 WHERE batch = $1 AND state = 'PENDING' AND item > $3 AND run = $2 ORDER BY item LIMIT $4`,
};

// The items that the run makes; those that ended in an earlier one keep its number. $1 batch $2 run
const IN_RUN: Statement = {
  name: 'documents_items_in_run',
  text: `SELECT count(*)::int AS n FROM millrace.document_items WHERE batch = $1 AND run = $2`,
};

// $1 batch $2 item[]
const SUBJECTS: Statement = {
  name: 'documents_item_subjects',
  text: `
SELECT item, subject FROM millrace.document_items
 WHERE batch = $1 AND item = ANY ($2::text::int[]) AND subject IS NOT NULL`,
};

// The run is counted up, too: whoever waits for the row's lock looks at the row again, but no more at the batch.
// $1 batch $2 run
const CANCEL: Statement = {
  name: 'documents_cancel_items',
  text: `
UPDATE millrace.document_items SET state = 'CANCELED', run = $2
 WHERE batch = $1 AND state IN ('PENDING', 'RUNNING') RETURNING item`,
};

// $1 batch $2 run
const RETRY: Statement = {
  name: 'documents_retry_items',
  text: `
UPDATE millrace.document_items
   SET state = 'PENDING', run = $2, job = NULL, error_code = NULL, error_message = NULL
 WHERE batch = $1 AND state IN ('FAILED', 'CANCELED') AND data IS NOT NULL RETURNING item`,
};

export interface ItemFailure {
  readonly run: number;
  readonly item: number;
  readonly state: 'FAILED' | 'CANCELED';
  readonly code: string;
  readonly message: string;
}

export const items = {
  async begin(session: Session, ref: ItemRef, lease: Lease, tenant: string): Promise<Begun> {
    const { batch, item, run } = ref;
    const [begun] = await session.query<{ data: string }>(BEGIN, [
      batch,
      item,
      run,
      lease.epoch,
      lease.id,
      tenant,
    ]);
    if (begun !== undefined) return { type: 'begun', data: begun.data };
    const [made] = await session.query<{ output: number; docx: number | null }>(MADE, [
      batch,
      item,
      run,
      tenant,
    ]);
    if (made === undefined) return { type: 'refused' };
    return { type: 'made', fileId: idOf('file', made.output), docxFileId: fileId(made.docx) };
  },

  /** False when the item is no longer this execution's to write. */
  async end(
    session: Session,
    { batch, item, run }: ItemRef,
    epoch: number,
    outcome: {
      readonly state: ItemState;
      readonly error?: { readonly code: string; readonly message: string };
      readonly output?: number | null;
      readonly docx?: number | null;
      readonly warnings?: readonly string[];
    },
  ): Promise<boolean> {
    const { state, error, output = null, docx = null, warnings = [] } = outcome;
    const warning = warnings.length === 0 ? null : clean(warnings.join(' '));
    const params: Param[] = [batch, item, run, epoch, state];
    params.push(error?.code ?? null, error === undefined ? null : clean(error.message));
    return (await session.query(END, [...params, output, docx, warning])).length > 0;
  },

  async close(session: Session, batch: number, ended: readonly ItemFailure[]): Promise<number> {
    if (ended.length === 0) return 0;
    const rows = await session.query(CLOSE, [
      batch,
      numbers(ended.map(({ run }) => run)),
      numbers(ended.map(({ item }) => item)),
      texts(ended.map(({ state }) => state)),
      texts(ended.map(({ code }) => code)),
      texts(ended.map(({ message }) => clean(message))),
    ]);
    return rows.length;
  },

  async counts(session: Session, batch: number): Promise<ItemCounts> {
    const counts = { pending: 0, running: 0, succeeded: 0, failed: 0, canceled: 0, warned: 0 };
    const rows = await session.query<{ state: ItemState; n: number; warned: number }>(COUNTS, [
      batch,
    ]);
    for (const { state, n, warned } of rows) {
      counts[state.toLowerCase() as Lowercase<ItemState>] = n;
      counts.warned += warned;
    }
    return counts;
  },

  async pending(
    session: Session,
    batch: number,
    run: number,
    after: number,
    limit: number,
  ): Promise<number[]> {
    const rows = await session.query<{ item: number }>(PENDING, [batch, run, after, limit]);
    return rows.map(({ item }) => item);
  },

  async inRun(session: Session, batch: number, run: number): Promise<number> {
    const [row] = await session.query<{ n: number }>(IN_RUN, [batch, run]);
    return row?.n ?? 0;
  },

  /** Those of these items that are about someone. */
  async subjects(
    session: Session,
    batch: number,
    chunk: readonly number[],
  ): Promise<Map<number, string>> {
    const rows = await session.query<{ item: number; subject: string }>(SUBJECTS, [
      batch,
      numbers(chunk),
    ]);
    return new Map(rows.map(({ item, subject }) => [item, subject]));
  },

  async cancel(session: Session, batch: number, run: number): Promise<number> {
    return (await session.query(CANCEL, [batch, run])).length;
  },

  async retry(session: Session, batch: number, run: number): Promise<number> {
    return (await session.query(RETRY, [batch, run])).length;
  },
};

export function fileId(seq: number | null): string | null {
  return seq === null ? null : idOf('file', seq);
}

function clean(message: string): string {
  return storableText(message, 2_000);
}
