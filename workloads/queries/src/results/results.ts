import {
  type BusinessUnit,
  type CallOptions,
  MarketingCloudError,
  type RowPage,
} from '@millrace/marketing-cloud';
import { type Row, fileTypeOf, tableStream } from '@millrace/tables';
import { isOver } from '@millrace/runs';
import { badCursor } from '@millrace/workload-kit';
import type { Format, ResultPage } from '../contract/results.ts';
import { STATUS_OF } from '../contract/runs.ts';
import { QueryError } from '../errors.ts';
import type { QueryRunRecord, RunColumn } from '../runs/query-run.ts';
import { columnsOf, jsonRows, rowsOf } from './rows.ts';

export type Rowset = Pick<BusinessUnit, 'rows' | 'rowsAfter'>;

export interface ResultFile {
  readonly name: string;
  readonly mediaType: string;
  /** Throws where the rows end before their time: what was read so far must not look whole. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** As many as Marketing Cloud gives at once. */
const PAGE = 2_500;

export async function resultPage(
  run: QueryRunRecord,
  rowset: Rowset,
  asked: CallOptions & { readonly limit: number; readonly cursor?: string | undefined },
): Promise<ResultPage> {
  const key = keyOf(run);
  const { limit, cursor, ...options } = asked;
  const place = cursor === undefined ? { page: 1, pageSize: limit } : placeOf(cursor);
  // Also of a run that counted none: rows may be visible only minutes after the query.
  const found = await there(run, rowset.rows(key, { ...place, ...options }));
  refuseFewer(run, found);
  const columns = run.columns ?? columnsOf(found);
  const pageSize = pageSizeOf(run, place, found);
  const isLast = place.page * pageSize >= found.count;
  return {
    columns: [...columns],
    rows: jsonRows(columns, rowsOf(columns, found)),
    rowCount: found.count,
    next: isLast ? null : cursorOf({ page: place.page + 1, pageSize }),
  };
}

/**
 * Marketing Cloud may give smaller pages than were asked for: the next one is counted in those that it gives. Where they
 * change in size on the way, rows would be left out or given twice.
 */
function pageSizeOf(
  run: QueryRunRecord,
  { page, pageSize }: Place,
  { count, rows }: RowPage,
): number {
  const whole = Math.max(0, Math.min(pageSize, count - (page - 1) * pageSize));
  if (rows.length === whole) return pageSize;
  if (page === 1 && rows.length > 0 && rows.length < whole) return rows.length;
  throw changed(
    run,
    `Page ${page} was to have ${whole} rows, and has ${rows.length}. Start from the first page.`,
  );
}

/** The first page is read before anything is answered, so that a refusal still has its status. */
export async function resultFile(
  run: QueryRunRecord,
  rowset: Rowset,
  format: Format,
  options: CallOptions,
): Promise<ResultFile> {
  const key = keyOf(run);
  const first = await there(run, rowset.rows(key, { page: 1, pageSize: PAGE, ...options }));
  refuseFewer(run, first);
  const columns = run.columns ?? columnsOf(first);
  const { mediaType, extension } = fileTypeOf(format);
  return {
    name: `${run.snippetName ?? run.id}${extension}`,
    mediaType,
    bytes: tableStream(
      batchesOf(run, columns, first, (next) => rowset.rowsAfter(next, options)),
      {
        format,
        columns,
        csv: { crlf: true },
      },
    ),
  };
}

/** All rows of a ready run, a page at a time, typed as in JSON Lines. */
export async function* resultRows(
  run: QueryRunRecord,
  rowset: Rowset,
  options: CallOptions,
): AsyncGenerator<ResultPage['rows'], void> {
  const first = await there(run, rowset.rows(keyOf(run), { page: 1, pageSize: PAGE, ...options }));
  refuseFewer(run, first);
  const columns = run.columns ?? columnsOf(first);
  const pageAfter = (next: string): Promise<RowPage> => rowset.rowsAfter(next, options);
  for await (const rows of batchesOf(run, columns, first, pageAfter)) yield jsonRows(columns, rows);
}

async function* batchesOf(
  run: QueryRunRecord,
  columns: readonly RunColumn[],
  first: RowPage,
  pageAfter: (next: string) => Promise<RowPage>,
): AsyncGenerator<readonly Row[], void> {
  let seen = 0;
  let count = 0;
  for (let page = first; ;) {
    seen += page.rows.length;
    // It may grow on the way, and those rows are given too.
    count = Math.max(count, page.count);
    yield rowsOf(columns, page);
    if (page.next === null || page.rows.length === 0) break;
    page = await within(run, pageAfter(page.next));
  }
  if (seen < count)
    throw changed(run, `There were to be ${count} rows, and they ended after ${seen}.`);
}

/**
 * The token of a page lasts for minutes, and a slow reader may take longer. Going on by the number of the page would be another
 * reading, whose rows may come in another order: some twice, some never.
 */
async function within(run: QueryRunRecord, asked: Promise<RowPage>): Promise<RowPage> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof MarketingCloudError) || error.retryable) throw error;
    throw changed(run, `Marketing Cloud no longer gives the next page (${error.message}).`, error);
  }
}

/** The key of what holds the rows. Throws for a run that has none, each in its own words. */
function keyOf(run: QueryRunRecord): string {
  const { id, state, mceStatus, error, resultsExpireAt, readAt, targetGoneAt, targetDeName } = run;
  if (!isOver(run)) {
    const said = mceStatus === null ? '' : ` (Marketing Cloud says: ${mceStatus})`;
    throw new QueryError(
      'run_not_ready',
      `The run ${id} is ${STATUS_OF[state]}${said}. Its rows come later.`,
    );
  }
  if (state === 'CANCELED')
    throw new QueryError('run_not_successful', `The run ${id} was cancelled: it has no rows.`);
  if (state === 'FAILED')
    throw new QueryError(
      'run_not_successful',
      `The run ${id} failed: ${error?.message ?? 'nobody knows why.'}`,
    );
  const isExpired = resultsExpireAt !== null && resultsExpireAt <= readAt;
  if (isExpired || targetGoneAt !== null || targetDeName === null) throw expired(id);
  return targetDeName;
}

/** Somebody, or the retention of the account, may have removed the data extension before its time. */
async function there(run: QueryRunRecord, asked: Promise<RowPage>): Promise<RowPage> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof MarketingCloudError && error.kind === 'notFound') throw expired(run.id);
    throw error;
  }
}

/** Rows were counted when the run became ready. With fewer, a file would look whole that is not. */
function refuseFewer(run: QueryRunRecord, { count }: RowPage): void {
  if (count < (run.rowCount ?? 0))
    throw changed(run, `There were ${run.rowCount} rows, and Marketing Cloud now has ${count}.`);
}

function changed({ id }: QueryRunRecord, what: string, cause?: unknown): QueryError {
  const message = `The rows of the run ${id} are not what they were. ${what}`;
  return new QueryError('results_changed', message, cause === undefined ? {} : { cause });
}

function expired(id: string): QueryError {
  return new QueryError(
    'results_expired',
    `The rows of the run ${id} are no longer kept. Run the query again.`,
  );
}

interface Place {
  readonly page: number;
  readonly pageSize: number;
}

/** Names a page and nothing of Marketing Cloud's: the run says which rowset it is of. */
function cursorOf({ page, pageSize }: Place): string {
  return Buffer.from(`${page}.${pageSize}`).toString('base64url');
}

function placeOf(cursor: string): Place {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, page, pageSize] = /^([1-9]\d{0,8})\.([1-9]\d{0,3})$/.exec(text) ?? [];
  if (page === undefined || pageSize === undefined || Number(pageSize) > PAGE)
    throw badCursor('these results have');
  return { page: Number(page), pageSize: Number(pageSize) };
}
