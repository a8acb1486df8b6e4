import { JobFailure } from '@millrace/engine';
import type { PlanNode, Reading, SourceColumn } from '@millrace/sql-source';
import { rowsOfCopy } from '@millrace/tables';
import { nextChunkRows } from '../sql/chunk-size.ts';
import { writtenColumns } from '../sql/columns.ts';
import { type ReadMode, hasOuterJoin, modeOf } from '../sql/mode.ts';
import { AS_OF } from '../sql/names.ts';
import {
  type KeyColumn,
  type ReportSelect,
  hiddenKeys,
  keyValues,
  nullKeyText,
  rowsText,
  sameKeyText,
} from '../sql/select.ts';
import type { ReportCursor } from './cursor.ts';
import type { FedRows, Feed } from './feed.ts';
import type { Prepared } from './prepare.ts';
import { rowsOfIdentity } from './row-sql.ts';
import type { Execution } from './workshop.ts';

/** A statement that is never cut by the reader ends by its own LIMIT. */
const WHOLE = { bytes: Number.MAX_SAFE_INTEGER, rows: Number.MAX_SAFE_INTEGER };

/** What the SQL of the report gives whoever asked, from where the cursor stands. */
export async function openSqlFeed(
  execution: Execution,
  prepared: Prepared,
  from: ReportCursor | null,
): Promise<Feed> {
  const { workshop, context } = execution;
  const { config, source } = workshop;
  const begin = () =>
    source.begin({
      statementTimeoutMs: config.statementTimeoutMs,
      applicationName: `millrace report ${prepared.report.name}`,
      signal: context.signal,
    });
  const first = await begin();
  try {
    await first.set(prepared.values);
    const asOf = from?.asOf ?? (await nowOf(first));
    const { select, bind } = selectOf(prepared, await first.describe(prepared.sql));
    const values = { ...prepared.values, ...bind, [AS_OF]: asOf };
    await first.set(values);
    const plan = await first.explain(rowsText(select, { after: false, limit: null }));
    await refuseNullKeys(first, select, plan);
    const mode = from?.mode ?? (await chooseMode(first, select, plan, config.chunk));
    if (from?.key != null) await refuseSameKey(first, select, from.key);
    const read = createReader({ ...execution, select, values, mode, begin, first }, from);
    return {
      columns: select.columns.map(({ column }) => column),
      hidden: select.hidden.length,
      total: plan['Plan Rows'],
      mode,
      asOf,
      ...read,
    };
  } catch (error) {
    await first.end();
    throw error;
  }
}

async function nowOf(reading: Reading): Promise<string> {
  const [row] = await reading.rows('SELECT now()::text');
  return row?.[0] ?? '';
}

function selectOf(
  prepared: Prepared,
  given: readonly SourceColumn[],
): { readonly select: ReportSelect; readonly bind: Readonly<Record<string, string>> } {
  const { report, sql } = prepared;
  const { value } = report;
  const types = new Map(given.map(({ name, type }) => [name, type]));
  const key = value.key.map((name): KeyColumn => {
    const type = types.get(name);
    if (type === undefined)
      throw wrongReport(
        `The SQL of the report gives no column "${name}", which is named as its key.`,
      );
    return { name, type };
  });
  for (const { name } of value.columns)
    if (!types.has(name))
      throw wrongReport(`The SQL of the report gives no column "${name}", which its columns name.`);
  const twice = given.find(({ name }, at) => given.findIndex((each) => each.name === name) !== at);
  if (twice !== undefined)
    throw wrongReport(
      `The SQL of the report gives two columns "${twice.name}". Give one of them another name with AS.`,
    );
  const columns = writtenColumns(value, given);
  const { where, bind } = rowsOfIdentity(prepared, types);
  return {
    select: { text: sql, key, columns, hidden: hiddenKeys(key, columns), where, asOf: value.asOf },
    bind,
  };
}

/** Asked where a key can be NULL at all: it reads all rows once. */
async function refuseNullKeys(
  reading: Reading,
  select: ReportSelect,
  plan: PlanNode,
): Promise<void> {
  const given = await reading.describe(rowsText(select, { after: false, limit: null }));
  const keys = new Set(select.key.map(({ name }) => name));
  const areNotNull = given.filter(({ name, notNull }) => keys.has(name) && notNull).length;
  if (areNotNull === keys.size && !hasOuterJoin(plan)) return;
  if ((await reading.rows(nullKeyText(select))).length === 0) return;
  throw new JobFailure(
    'null_in_key',
    `A row has a NULL in its key (${[...keys].join(', ')}), and would be left out without a word. Name columns that are never NULL as the key.`,
    { retryable: false },
  );
}

async function refuseSameKey(
  reading: Reading,
  select: ReportSelect,
  key: readonly string[],
): Promise<void> {
  await reading.set(keyValues(key));
  if ((await reading.rows(sameKeyText(select))).length < 2) return;
  throw new JobFailure(
    'key_not_unique',
    `Several rows have the key (${key.join(', ')}), and some of them would be left out. Name more columns as the key of the report.`,
    { retryable: false },
  );
}

async function chooseMode(
  reading: Reading,
  select: ReportSelect,
  stream: PlanNode,
  chunk: { readonly bytes: number; readonly rows: number },
): Promise<ReadMode> {
  const width = Math.max(1, Number(stream['Plan Width'] ?? 0));
  const rowsInChunk = nextChunkRows({ rows: 1, bytes: width }, chunk);
  const text = rowsText(select, { after: false, limit: rowsInChunk });
  return modeOf(stream, await reading.explain(text), { rowsInChunk });
}

interface ReaderParams extends Execution {
  readonly select: ReportSelect;
  readonly values: Readonly<Record<string, string | null>>;
  readonly mode: ReadMode;
  readonly begin: () => Promise<Reading>;
  readonly first: Reading;
}

function createReader(
  params: ReaderParams,
  from: ReportCursor | null,
): Pick<Feed, 'batches' | 'close'> {
  const { workshop, select, values, mode, begin } = params;
  const { chunk, snapshotMaxAgeMs } = workshop.config;
  const places = keyPlaces(select);
  let reading = params.first;
  let begunAt = workshop.clock.now();
  let so = from?.read ?? { rows: 0, bytes: 0 };

  function fed(batch: { bytes: Buffer; rows: number; lastRow: Buffer }, isNew: boolean): FedRows {
    const { bytes, rows, lastRow } = batch;
    so = { rows: so.rows + rows, bytes: so.bytes + bytes.length };
    return { bytes, rows, key: keyOf(lastRow, places), read: so, isNewSnapshot: isNew };
  }

  /** A snapshot that lasts keeps the source from removing what others have changed since. */
  async function renewed(): Promise<boolean> {
    if (workshop.clock.now() - begunAt < snapshotMaxAgeMs) return false;
    await reading.end();
    reading = await begin();
    begunAt = workshop.clock.now();
    await reading.set(values);
    return true;
  }

  async function* stream(): AsyncGenerator<FedRows> {
    if (from?.key != null) await reading.set(keyValues(from.key));
    const text = rowsText(select, { after: from?.key != null, limit: null });
    for await (const batch of reading.copy(text, chunk)) yield fed(batch, false);
  }

  async function* chunks(): AsyncGenerator<FedRows> {
    for (let key = from?.key ?? null; ;) {
      const isNew = await renewed();
      const limit = nextChunkRows(so, chunk);
      if (key !== null) await reading.set(keyValues(key));
      const text = rowsText(select, { after: key !== null, limit });
      let last: FedRows | null = null;
      for await (const batch of reading.copy(text, WHOLE)) last = fed(batch, isNew);
      if (last === null) return;
      ({ key } = last);
      if (last.rows < limit) return yield last;
      await refuseSameKey(reading, select, key);
      yield last;
    }
  }

  return {
    batches: ahead(mode === 'stream' ? stream() : chunks()),
    close: () => reading.end(),
  };
}

/** Where the values of the key are in a record. */
function keyPlaces({ key, columns, hidden }: ReportSelect): readonly number[] {
  return key.map(({ name }) => {
    const at = hidden.findIndex((each) => each.name === name);
    return at !== -1 ? at : hidden.length + columns.findIndex((column) => column.name === name);
  });
}

function keyOf(lastRow: Buffer, places: readonly number[]): string[] {
  const [record = []] = rowsOfCopy(lastRow);
  return places.map((place) => {
    const value = record[place];
    if (value == null)
      throw new JobFailure('null_in_key', 'A row has a NULL in its key.', { retryable: false });
    return value;
  });
}

/** Asks for the next one while whoever has this one works on it. */
async function* ahead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    for (let next = items.next(); ;) {
      const { value, done } = await next;
      if (done === true) return;
      next = items.next();
      // Whoever stops here does not wait for it: its failure must not be nobody's.
      next.catch(() => {});
      yield value;
    }
  } finally {
    await items.return(undefined).catch(() => {});
  }
}

function wrongReport(message: string): JobFailure {
  return new JobFailure('source_refused', message, { retryable: false });
}
