import {
  type BusinessUnit,
  type CallOptions,
  MarketingCloudError,
  type RowPage,
} from '@millrace/marketing-cloud';
import { type Row, fileTypeOf, tableStream } from '@millrace/tables';
import { badCursor } from '@millrace/workload-kit';
import type { Format, ResultPage } from '../contract/results.ts';
import { QueryError } from '../errors.ts';
import type { Run, RunColumn } from '../run.ts';
import { columnsOf, jsonRows, rowsOf } from './rows.ts';

export type Rowset = Pick<BusinessUnit, 'rows' | 'rowsAfter'>;

/** Of a run: the rows are in its target until they expire, or somebody removes it. */
export interface RunOfResults extends Run {
  /** When the run was read, by the clock that `resultsExpireAt` is of. */
  readonly readAt: number;
  readonly targetGoneAt: number | null;
}

export interface ResultFile {
  readonly name: string;
  readonly mediaType: string;
  /** Throws where the rows end before their time: what was read so far must not look whole. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** As many as Marketing Cloud gives at once. */
const PAGE = 2_500;

export async function resultPage(
  run: RunOfResults,
  rowset: Rowset,
  asked: CallOptions & { readonly limit: number; readonly cursor?: string | undefined },
): Promise<ResultPage> {
  const key = keyOf(run);
  const { limit, cursor, ...options } = asked;
  const place = cursor === undefined ? { page: 1, pageSize: limit } : placeOf(cursor);
  if (run.rowCount === 0)
    return { columns: [...(run.columns ?? [])], rows: [], rowCount: 0, next: null };
  const found = await there(run, rowset.rows(key, { ...place, ...options }));
  const columns = run.columns ?? columnsOf(found);
  const isLast = place.page * place.pageSize >= found.count || found.rows.length === 0;
  return {
    columns: [...columns],
    rows: jsonRows(columns, rowsOf(columns, found)),
    rowCount: found.count,
    next: isLast ? null : cursorOf({ ...place, page: place.page + 1 }),
  };
}

/** The first page is read before anything is answered, so that a refusal still has its status. */
export async function resultFile(
  run: RunOfResults,
  rowset: Rowset,
  format: Format,
  options: CallOptions,
): Promise<ResultFile> {
  const key = keyOf(run);
  const first =
    run.rowCount === 0
      ? NO_ROWS
      : await there(run, rowset.rows(key, { page: 1, pageSize: PAGE, ...options }));
  const columns = run.columns ?? columnsOf(first);
  const { mediaType, extension } = fileTypeOf(format);
  return {
    name: `${run.snippetName ?? run.id}${extension}`,
    mediaType,
    bytes: tableStream(
      batchesOf(columns, first, (page) => after(rowset, key, page, options)),
      {
        format,
        columns,
        csv: { crlf: true },
      },
    ),
  };
}

const NO_ROWS: RowPage = { count: 0, page: 1, pageSize: PAGE, rows: [], next: null };

async function* batchesOf(
  columns: readonly RunColumn[],
  first: RowPage,
  nextOf: (page: RowPage) => Promise<RowPage>,
): AsyncGenerator<readonly Row[], void> {
  let seen = 0;
  for (let page = first; ; page = await nextOf(page)) {
    seen += page.rows.length;
    yield rowsOf(columns, page);
    if (page.next === null || page.rows.length === 0) break;
  }
  if (seen !== first.count)
    throw new Error(`The rowset was to have ${first.count} rows, and ended after ${seen}.`);
}

/** The token of a page lasts for minutes, and a slow reader may take longer: then by the number of the page. */
async function after(
  rowset: Rowset,
  key: string,
  { next, page, pageSize }: RowPage,
  options: CallOptions,
): Promise<RowPage> {
  try {
    return await rowset.rowsAfter(next ?? '', options);
  } catch (error) {
    if (!(error instanceof MarketingCloudError) || error.retryable) throw error;
    return rowset.rows(key, { page: page + 1, pageSize, ...options });
  }
}

/** The key of what holds the rows. Throws for a run that has none, each in its own words. */
function keyOf(run: RunOfResults): string {
  const { id, status, mceStatus, error, resultsExpireAt, readAt, targetGoneAt, targetDeName } = run;
  if (status === 'queued' || status === 'running') {
    const said = mceStatus === null ? '' : ` (Marketing Cloud says: ${mceStatus})`;
    throw new QueryError(
      'run_not_ready',
      `The run ${id} is ${status}${said}. Its rows come later.`,
    );
  }
  if (status === 'canceled')
    throw new QueryError('run_not_successful', `The run ${id} was cancelled: it has no rows.`);
  if (status === 'failed')
    throw new QueryError(
      'run_not_successful',
      `The run ${id} failed: ${error?.message ?? 'nobody knows why.'}`,
    );
  const isOver = resultsExpireAt !== null && resultsExpireAt <= readAt;
  if (isOver || targetGoneAt !== null || targetDeName === null) throw expired(id);
  return targetDeName;
}

/** Somebody, or the retention of the account, may have removed the data extension before its time. */
async function there(run: RunOfResults, asked: Promise<RowPage>): Promise<RowPage> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof MarketingCloudError && error.kind === 'notFound') throw expired(run.id);
    throw error;
  }
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
