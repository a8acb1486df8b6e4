import type { Queue } from '@millrace/engine';
import type { Session } from '@millrace/store-postgres';
import { type Page, type PageParams, numberCursor, page, pageLimit } from '@millrace/workload-kit';
import { checkRows } from './check-rows.ts';
import { insertBatch } from './insert.ts';
import { jobsOf } from './jobs.ts';
import { type BatchRecord, type BatchSource, type BatchState, batchRows } from './records.ts';
import { type FailedRows, applyCorrections, failedRows, readCorrections } from './corrections.ts';
import {
  type BatchSettings,
  type BatchSettingsInput,
  batchSettingsSchema,
} from '../contract/envelope.ts';
import type { RowsChecked } from '../contract/rows.ts';
import { parseAs } from '../one/request.ts';
import type { Whose } from '../belongings.ts';
import { DocumentError } from '../errors.ts';
import type { Passwords } from '../passwords.ts';
import type { ContentStore } from '../files/contents.ts';
import { createFiles } from '../files/files.ts';
import { type BatchItem, listItems } from './item-list.ts';
import { type ItemCounts, type ItemState, items } from './items.ts';
import { loadRows } from './load.ts';
import { type Merged, createMerged } from './merged/merged.ts';
import type { RowSource } from './rows/rows.ts';
import { notFound } from '../templates/refusals.ts';
import { type Reader, type Templates, isSeen, mayUse } from '../templates/templates.ts';
import type { BatchUpkeep } from './upkeep.ts';

export interface Batch {
  readonly id: string;
  readonly state: BatchState;
  readonly total: number;
  readonly counts: ItemCounts;
  /** Where the rows came from; null while they come. */
  readonly source: BatchSource | null;
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
  /** The same key of the same tenant makes one batch, for as long as that is kept. */
  readonly key?: string | undefined;
}

export type CheckContext = Pick<BatchContext, 'tenant'> &
  Reader & {
    readonly signal?: AbortSignal | undefined;
  };

export interface Batches {
  /** Stores the rows as they come, then begins. Refused as a whole only where no row can be read. */
  create(settings: BatchSettingsInput, source: RowSource, context?: BatchContext): Promise<Batch>;
  /** What would become of each row, without a document or a batch. */
  check(
    settings: BatchSettingsInput,
    source: RowSource,
    context?: CheckContext,
  ): Promise<RowsChecked>;
  get(id: string, tenant?: string): Promise<Batch>;
  /** Newest first. */
  list(params?: PageParams & Whose): Promise<Page<Batch>>;
  items(
    id: string,
    params?: PageParams & {
      state?: ItemState | undefined;
      warned?: 'true' | undefined;
      tenant?: string | undefined;
    },
  ): Promise<Page<BatchItem>>;
  /** Cancels what is not done; documents that are made stay. */
  cancel(id: string, tenant?: string): Promise<{ canceled: number }>;
  /** Makes the failed and canceled items again, in a new run. Rows that could not be read stay as they are. */
  retry(id: string, tenant?: string): Promise<{ retried: number }>;
  /** The rows that failed, as a file to correct. */
  failed(id: string, tenant?: string): Promise<FailedRows>;
  /** The corrected rows of that file instead of the failed ones, in a new run. */
  correct(id: string, source: RowSource, tenant?: string): Promise<{ retried: number }>;
  /** All documents of a batch that is over, as one PDF. The first to ask waits while it is made. */
  readonly merged: Merged;
}

const MOST_ROWS = 100_000;

export function createBatches(
  parts: ContentStore & {
    queue: Pick<Queue, 'list' | 'cancel'>;
    upkeep: BatchUpkeep;
    templates: Templates;
    passwords: Passwords;
    keepMs: number;
    maxRows?: number | undefined;
  },
): Batches {
  const {
    database,
    objects,
    queue,
    upkeep,
    templates,
    passwords,
    keepMs,
    maxRows = MOST_ROWS,
  } = parts;

  async function find(id: string, tenant: string): Promise<BatchRecord> {
    const batch = await upkeep.find(id, tenant);
    if (batch === null) throw new DocumentError('batch_not_found', `There is no batch "${id}".`);
    return batch;
  }

  async function view(batch: BatchRecord): Promise<Batch> {
    const { id, state, total, source, settings, jobId, correlationId, submitter } = batch;
    const { createdAt, finishedAt, expiresAt } = batch;
    const counts = await items.counts(database, batch.seq);
    return {
      id,
      state,
      total,
      counts,
      source,
      settings: withoutPassword(settings),
      jobId,
      correlationId,
      submitter,
      createdAt,
      finishedAt,
      expiresAt,
    };
  }

  async function fieldsOf({ templateId }: BatchSettings, tenant: string) {
    return (await templates.compiled(templateId, tenant)).template.fields;
  }

  /** Begins a new run of the items that `choose` makes ready within the transaction. */
  async function rerun(
    batch: BatchRecord,
    choose: (session: Session, next: BatchRecord) => Promise<number>,
  ): Promise<{ retried: number }> {
    const { retried, next } = await database.transaction(async (session) => {
      const begun = await batchRows.rerun(session, batch.seq, batch.tenant);
      if (begun === null)
        throw new DocumentError(
          'batch_not_finished',
          `The batch ${batch.id} is not over. Wait for its end, or cancel it first.`,
        );
      return { retried: await choose(session, begun), next: begun };
    });
    await upkeep.begin(next);
    return { retried };
  }

  return {
    async create(given, source, context = {}) {
      const { tenant = '', correlationId, submitter, priority, subject, key } = context;
      const settings = parseAs(batchSettingsSchema, given, 'batch');
      const template = await templates.get(settings.templateId, tenant);
      if (!mayUse(template, submitter ?? null)) throw notFound(settings.templateId);
      const { id: templateId } = template;
      const { batch, isNew } = await insertBatch(database, {
        tenant,
        keepMs,
        settings: passwords.seal({ ...settings, templateId }),
        priority: priority ?? null,
        correlationId: correlationId ?? null,
        submitter: submitter ?? null,
        key: key ?? null,
      });
      if (!isNew) {
        // Whoever made it may have gone away before its job.
        if (batch.state === 'RUNNING') await upkeep.begin(batch);
        return view(batch);
      }
      try {
        const fields = await fieldsOf(batch.settings, tenant);
        const loadedRows = await loadRows({
          database,
          batch: batch.seq,
          settings: batch.settings,
          fields,
          source,
          subject,
          maxRows,
        });
        const loaded = await batchRows.loaded(database, batch.seq, {
          ...loadedRows,
          settings: settled(batch.settings, loadedRows.source),
        });
        if (loaded === null)
          throw new DocumentError(
            'batch_canceled',
            `The batch ${batch.id} was canceled meanwhile.`,
          );
        await upkeep.begin(loaded);
      } catch (error) {
        // A batch that was canceled while it loaded stays for people to see; any other is removed. A job that may
        // have been made finds no batch, and ends.
        const isCanceled = error instanceof DocumentError && error.code === 'batch_canceled';
        if (!isCanceled) await batchRows.remove(database, batch.seq).catch(() => {});
        throw error;
      }
      return view(await find(batch.id, tenant));
    },
    async check(given, source, { tenant = '', signal, owner } = {}) {
      const settings = parseAs(batchSettingsSchema, given, 'batch');
      const { template, info } = await templates.compiled(settings.templateId, tenant);
      if (!isSeen(info, { owner })) throw notFound(settings.templateId);
      return checkRows({ template, settings, source, maxRows, signal });
    },
    get: async (id, tenant = '') => view(await find(id, tenant)),
    async list({ tenants = [''], submitter, ...paging } = {}) {
      const limit = pageLimit(paging);
      const below = numberCursor(paging, Number.MAX_SAFE_INTEGER);
      const records = await batchRows.list(database, { tenants, submitter }, below, limit + 1);
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
      // The cancel can be repeated after a crash, and then ends what was left; a child that is made meanwhile finds
      // its item canceled.
      if (batch.jobId !== null) await queue.cancel([batch.jobId]);
      for (const state of ['QUEUED', 'PROCESSING'] as const)
        for await (const jobs of jobsOf(queue, batch, state))
          await queue.cancel(jobs.map((job) => job.id));
      return { canceled };
    },
    async retry(id, tenant = '') {
      return rerun(await find(id, tenant), async (session, { seq, run }) => {
        const count = await items.retry(session, seq, run);
        if (count === 0)
          throw new DocumentError('nothing_to_retry', `No item of the batch ${id} can be retried.`);
        return count;
      });
    },
    failed: async (id, tenant = '') => failedRows(database, await find(id, tenant)),
    async correct(id, source, tenant = '') {
      const batch = await find(id, tenant);
      const fields = await fieldsOf(batch.settings, tenant);
      const rows = await readCorrections(source, batch, fields);
      return rerun(batch, (session, next) => applyCorrections(session, next, rows));
    },
    merged: createMerged({
      database,
      objects,
      files: createFiles({ database, objects, keepMs }),
    }),
  };
}

/**
 * The settings of a batch from a spreadsheet: its cells are text, read in the locale of the batch unless `dataLocale`
 * names another.
 */
function settled(settings: BatchSettings, source: BatchSource): BatchSettings {
  const { options, locale } = settings;
  if (source.columns === undefined || options.dataLocale !== undefined) return settings;
  return { ...settings, options: { ...options, dataLocale: locale } };
}

function withoutPassword(settings: BatchSettings): BatchSettings {
  const { password: _, ...pdf } = settings.pdf ?? {};
  return settings.pdf === undefined ? settings : { ...settings, pdf };
}
