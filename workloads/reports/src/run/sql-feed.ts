import { JobFailure } from '@millrace/engine';
import type { Reading } from '@millrace/sql-source';
import type { ChunkSize } from '../sql/chunk-rows.ts';
import { readReport } from '../sql/read.ts';
import { shapeOf } from '../sql/shape.ts';
import { AS_OF, type ReportTexts, textsOf } from '../sql/texts.ts';
import type { ReportCursor } from './cursor.ts';
import type { Feed } from './feed.ts';
import type { Prepared } from './prepare.ts';
import { rowsOfIdentity, withRules } from './row-sql.ts';
import type { Execution } from './workshop.ts';

/**
 * A row group of Parquet is a chunk, and each adds some 60 bytes a column to the cursor, which is saved with every chunk: fewer and
 * larger ones. 4.5 MB are some 30,000 rows.
 */
const PARQUET_TIMES = 3;

/** What the SQL of the report gives whoever asked, from where the cursor stands. */
export async function openSqlFeed(
  execution: Execution,
  prepared: Prepared,
  from: ReportCursor | null,
): Promise<Feed> {
  const readings = await openReadings(execution, prepared);
  const { first } = readings;
  try {
    await first.set(prepared.values);
    const asOf = from?.asOf ?? (await nowOf(first));
    const { texts, bind } = await textsFor(first, prepared);
    await readings.setAll({ ...prepared.values, ...bind, [AS_OF]: asOf });
    const total = from === null ? (await first.explain(texts.estimate))['Plan Rows'] : from.total;
    const batches = readReport({
      reading: first,
      texts,
      chunk: chunkSizeOf(execution, prepared),
      from: from?.position ?? null,
      renew: readings.renew,
      onDecision: (decision) =>
        execution.context.log.info({ ...decision }, 'how the report is read'),
    });
    const { columns, hidden } = texts;
    return { columns, hidden, total, asOf, hasSnapshots: true, batches, close: readings.end };
  } catch (error) {
    await readings.end();
    throw error;
  }
}

async function nowOf(reading: Reading): Promise<string> {
  const [row] = await reading.rows('SELECT now()::text');
  return row?.[0] ?? '';
}

async function textsFor(
  reading: Reading,
  prepared: Prepared,
): Promise<{ readonly texts: ReportTexts; readonly bind: Readonly<Record<string, string>> }> {
  const { report, choice } = prepared;
  const given = await reading.describe(prepared.sql);
  const types = new Map(given.map(({ name, type }) => [name, type]));
  const { where, bind, inside } = rowsOfIdentity(prepared, types);
  await reading.set(bind);
  const sql =
    report.value.totals === 'all rows'
      ? prepared.sql
      : await withRules(reading, prepared.sql, inside);
  const shape = shapeOf({ report: report.value, sql, given, where });
  if ('problems' in shape)
    throw new JobFailure('source_refused', shape.problems.join(' '), { retryable: false });
  return { texts: textsOf(shape, choice.format), bind };
}

function chunkSizeOf({ workshop }: Execution, { choice }: Prepared): ChunkSize {
  const { bytes, rows } = workshop.config.chunk;
  return { bytes: choice.format === 'parquet' ? bytes * PARQUET_TIMES : bytes, rows };
}

interface Readings {
  readonly first: Reading;
  /** Of the first, and of all that follow. */
  setAll(values: Readonly<Record<string, string | null>>): Promise<void>;
  /** Another one, where the last has become too old; else null. */
  renew(): Promise<Reading | null>;
  end(): Promise<void>;
}

/** A snapshot that lasts keeps the source from removing what others have changed since. */
async function openReadings(
  { workshop, context }: Execution,
  { report }: Prepared,
): Promise<Readings> {
  const { config, source, clock } = workshop;
  let begunAt = clock.now();
  let values: Readonly<Record<string, string | null>> = {};
  const begin = () =>
    source.begin({
      statementTimeoutMs: config.statementTimeoutMs,
      applicationName: `millrace report ${report.name}`,
      signal: context.signal,
    });
  const first = await begin();
  let current = first;
  return {
    first,
    async setAll(given) {
      values = given;
      await first.set(values);
    },
    async renew() {
      if (clock.now() - begunAt < config.snapshotMaxAgeMs) return null;
      await current.end();
      current = await begin();
      begunAt = clock.now();
      await current.set(values);
      return current;
    },
    end: () => current.end(),
  };
}
