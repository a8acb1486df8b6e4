import type { JobRequest, JobSummary, Queue } from '@millrace/engine';
import type { Database } from '@millrace/store-postgres';
import { type BatchRecord, type BatchState, batchRows } from './batch-rows.ts';
import {
  type BatchSettings,
  type BatchSettingsInput,
  batchSettingsSchema,
  parseAs,
} from './envelope.ts';
import { DocumentError } from './errors.ts';
import { type Page, type PageParams, numberCursor, page, pageLimit, seqOf } from './ids.ts';
import { createFiles } from './files.ts';
import { type BatchItem, listItems } from './item-list.ts';
import { type ItemCounts, type ItemFailure, type ItemState, items } from './items.ts';
import { type Merged, createMerged } from './merged.ts';
import type { Row } from './row.ts';
import { type RowSource, readRows } from './rows.ts';
import type { Templates } from './templates.ts';

export interface Batch {
  readonly id: string;
  readonly state: BatchState;
  readonly total: number;
  readonly counts: ItemCounts;
  /** Without the password of the PDFs. */
  readonly settings: BatchSettings;
  readonly jobId: string | null;
  readonly correlationId: string;
  readonly submitter: string | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  readonly expiresAt: number;
}

export interface BatchContext {
  readonly tenant?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly submitter?: string | undefined;
  readonly priority?: number | undefined;
  /** Whom each document is about, for erasure. May name fields of the row: `{{CustomerId}}`. */
  readonly subject?: string | undefined;
}

export interface Batches {
  /** Stores the rows as they come, then begins. Refused as a whole only where no row can be read. */
  create(settings: BatchSettingsInput, source: RowSource, context?: BatchContext): Promise<Batch>;
  get(id: string, tenant?: string): Promise<Batch>;
  /** Newest first. */
  list(params?: PageParams & { tenant?: string | undefined }): Promise<Page<Batch>>;
  items(
    id: string,
    params?: PageParams & { state?: ItemState | undefined; tenant?: string | undefined },
  ): Promise<Page<BatchItem>>;
  /** What is done stays done. */
  cancel(id: string, tenant?: string): Promise<{ canceled: number }>;
  /** Those that failed or were canceled, in a new run. Rows that could not be read stay as they are. */
  retry(id: string, tenant?: string): Promise<{ retried: number }>;
  /** All documents of a batch that is over, as one PDF. The first to ask waits while it is made. */
  readonly merged: Merged;
  /** For the kind `document.batch`. */
  readonly upkeep: BatchUpkeep;
}

/** What the job of a batch does to its tables. */
export interface BatchUpkeep {
  find(id: string, tenant: string): Promise<BatchRecord | null>;
  counts(batch: BatchRecord): Promise<ItemCounts>;
  pending(batch: BatchRecord, after: number, limit: number): Promise<number[]>;
  /** Whom these items are about, for the subject of their jobs. */
  subjects(batch: BatchRecord, chunk: readonly number[]): Promise<Map<number, string>>;
  /** Items whose jobs ended without their handler get the end of their job. */
  reconcile(batch: BatchRecord): Promise<number>;
  finish(batch: BatchRecord): Promise<boolean>;
  /** Makes the batch's job, unless it is there. */
  begin(batch: BatchRecord): Promise<void>;
}

export const DOCUMENT = 'document';
export const DOCUMENT_BATCH = 'document.batch';
const ROWS_AT_ONCE = 500;
const BYTES_AT_ONCE = 1_000_000;
const MOST_ROWS = 100_000;

export function createBatches(parts: {
  database: Database;
  queue: Pick<Queue, 'enqueue' | 'list' | 'cancel'>;
  templates: Templates;
  keepMs: number;
  maxRows?: number | undefined;
}): Batches {
  const { database, queue, templates, keepMs, maxRows = MOST_ROWS } = parts;

  async function find(id: string, tenant: string): Promise<BatchRecord> {
    const seq = seqOf('batch', id);
    const batch = seq === null ? null : await batchRows.get(database, seq, tenant);
    if (batch === null) throw new DocumentError('batch_not_found', `There is no batch "${id}".`);
    return batch;
  }

  async function view(batch: BatchRecord): Promise<Batch> {
    const { id, state, total, settings, jobId, correlationId, submitter } = batch;
    const { createdAt, finishedAt, expiresAt } = batch;
    const counts = await items.counts(database, batch.seq);
    return {
      id,
      state,
      total,
      counts,
      settings: withoutPassword(settings),
      jobId,
      correlationId,
      submitter,
      createdAt,
      finishedAt,
      expiresAt,
    };
  }

  async function begin(batch: BatchRecord): Promise<void> {
    const { id } = await queue.enqueue(batchJob(batch));
    await batchRows.setJob(database, batch, id);
  }

  async function store(batch: BatchRecord, source: RowSource, subject?: string): Promise<number> {
    let total = 0;
    for await (const rows of gathered(readRows(source))) {
      if (total + rows.length > maxRows)
        throw new DocumentError(
          'too_many_rows',
          `A batch has at most ${maxRows} rows. Split it into several.`,
        );
      await items.add(database, batch.seq, total + 1, rows, subject);
      total += rows.length;
    }
    if (total === 0) throw new DocumentError('invalid_rows', 'There are no rows.');
    return total;
  }

  return {
    async create(given, source, context = {}) {
      const { tenant = '', correlationId, submitter, priority, subject } = context;
      const settings = parseAs(batchSettingsSchema, given, 'batch');
      const { id: templateId } = await templates.get(settings.templateId, tenant);
      const batch = await batchRows.insert(database, {
        tenant,
        keepMs,
        settings: { ...settings, templateId },
        priority: priority ?? null,
        correlationId: correlationId ?? null,
        submitter: submitter ?? null,
      });
      try {
        const total = await store(batch, source, subject);
        const loaded = await batchRows.loaded(database, batch.seq, total);
        if (loaded === null)
          throw new DocumentError(
            'batch_canceled',
            `The batch ${batch.id} was canceled meanwhile.`,
          );
        await begin(loaded);
      } catch (error) {
        // One that was canceled stays for people to see. A job that may have been made finds no batch, and ends.
        const isCanceled = error instanceof DocumentError && error.code === 'batch_canceled';
        if (!isCanceled) await batchRows.remove(database, batch.seq).catch(() => {});
        throw error;
      }
      return view(await find(batch.id, tenant));
    },
    get: async (id, tenant = '') => view(await find(id, tenant)),
    async list({ tenant = '', ...paging } = {}) {
      const limit = pageLimit(paging);
      const below = numberCursor(paging, Number.MAX_SAFE_INTEGER);
      const records = await batchRows.list(database, tenant, below, limit + 1);
      const { items: shown, next } = page(records, limit, ({ seq }) => String(seq));
      return { items: await Promise.all(shown.map(view)), next };
    },
    async items(id, { tenant = '', ...params } = {}) {
      return listItems(database, (await find(id, tenant)).seq, params);
    },
    async cancel(id, tenant = '') {
      const batch = await find(id, tenant);
      if (batch.state === 'FINISHED')
        throw new DocumentError(
          'batch_finished',
          `The batch ${id} is over; there is nothing to cancel.`,
        );
      const canceled = await database.transaction(async (session) => {
        const stopped = await batchRows.cancel(session, batch.seq, tenant);
        return stopped === null ? 0 : items.cancel(session, batch.seq, stopped.run);
      });
      // Asked for again after a crash, this ends what was left; a child that slips through finds its item canceled.
      if (batch.jobId !== null) await queue.cancel([batch.jobId]);
      for (const state of ['QUEUED', 'PROCESSING'] as const)
        for await (const jobs of jobsOf(queue, batch, state))
          await queue.cancel(jobs.map((job) => job.id));
      return { canceled };
    },
    async retry(id, tenant = '') {
      const batch = await find(id, tenant);
      const { retried, next } = await database.transaction(async (session) => {
        const rerun = await batchRows.rerun(session, batch.seq, tenant);
        if (rerun === null)
          throw new DocumentError(
            'batch_not_finished',
            `The batch ${id} is not over. Wait for its end, or cancel it first.`,
          );
        const count = await items.retry(session, batch.seq, rerun.run);
        if (count === 0)
          throw new DocumentError('nothing_to_retry', `No item of the batch ${id} can be retried.`);
        return { retried: count, next: rerun };
      });
      await begin(next);
      return { retried };
    },
    merged: createMerged({ database, files: createFiles({ database, keepMs }) }),
    upkeep: {
      begin,
      async find(id, tenant) {
        const seq = seqOf('batch', id);
        return seq === null ? null : batchRows.get(database, seq, tenant);
      },
      counts: ({ seq }) => items.counts(database, seq),
      pending: ({ seq, run }, after, limit) => items.pending(database, seq, run, after, limit),
      subjects: ({ seq }, chunk) => items.subjects(database, seq, chunk),
      finish: ({ seq, run }) => batchRows.finish(database, seq, run),
      async reconcile(batch) {
        let closed = 0;
        for (const state of ['FAILED', 'CANCELED'] as const)
          for await (const jobs of jobsOf(queue, batch, state))
            closed += await items.close(database, batch.seq, jobs.map(failureOf));
        return closed;
      },
    },
  };
}

function batchJob(batch: BatchRecord): JobRequest {
  const { id, run, tenant, correlationId, submitter, priority } = batch;
  return {
    kind: DOCUMENT_BATCH,
    data: { batch: id, run },
    key: `${id}/${run}`,
    tenant,
    correlationId,
    ...(submitter !== null && { submitter }),
    ...(priority !== null && { priority }),
  };
}

/** The key says which item a job is about, so that a run that begins again makes no job twice. */
export function itemKey({ id, run }: Pick<BatchRecord, 'id' | 'run'>, item: number): string {
  return `${id}/${run}/${item}`;
}

type ItemJob = JobSummary & { readonly run: number; readonly item: number };

/** The jobs of the batch's items, by page. Others may share the correlation id: the key tells them apart. */
async function* jobsOf(
  queue: Pick<Queue, 'list'>,
  { id, correlationId, tenant }: BatchRecord,
  state: 'QUEUED' | 'PROCESSING' | 'FAILED' | 'CANCELED',
): AsyncGenerator<ItemJob[]> {
  let cursor: string | undefined;
  do {
    const { jobs, next } = await queue.list({
      filter: { kind: DOCUMENT, state, correlationId, tenant },
      limit: 500,
      ...(cursor !== undefined && { cursor }),
    });
    const own = jobs.flatMap((job) => {
      const [batch, run, item] = (job.key ?? '').split('/');
      return batch === id ? [{ ...job, run: Number(run), item: Number(item) }] : [];
    });
    if (own.length > 0) yield own;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
}

function failureOf({ run, item, state, error }: ItemJob): ItemFailure {
  if (state === 'CANCELED')
    return { run, item, state, code: 'canceled', message: 'The job was canceled.' };
  const { code = 'unknown', message = 'The job failed.' } = error ?? {};
  return { run, item, state: 'FAILED', code, message };
}

async function* gathered(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let together: Row[] = [];
  let bytes = 0;
  for await (const row of rows) {
    together.push(row);
    bytes += 'data' in row ? JSON.stringify(row.data).length : 0;
    if (together.length < ROWS_AT_ONCE && bytes < BYTES_AT_ONCE) continue;
    yield together;
    together = [];
    bytes = 0;
  }
  if (together.length > 0) yield together;
}

function withoutPassword(settings: BatchSettings): BatchSettings {
  const { password: _, ...pdf } = settings.pdf ?? {};
  return settings.pdf === undefined ? settings : { ...settings, pdf };
}
