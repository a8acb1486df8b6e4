import { JobFailure } from '@millrace/engine';
import { type Column, type ColumnType, copyRecord } from '@millrace/tables';
import type { RowsOf, Who } from '@millrace/workload-kit';
import type { ColumnFormat } from '../catalogue/types.ts';
import type { ReportCursor } from './cursor.ts';
import type { FedRows, Feed } from './feed.ts';
import type { Prepared } from './prepare.ts';
import type { Execution } from './workshop.ts';

/** Rows of a batch, whatever they are made of: a step gives hundreds of thousands at the most, and each is small. */
const BATCH_ROWS = 1_000;

/** The rows of an earlier step, in its order. The key is how many were written: whoever goes on passes over those. */
export async function openStepFeed(
  execution: Execution,
  { report }: Prepared,
  { rows, from }: { readonly rows: RowsOf; readonly from: ReportCursor | null },
): Promise<Feed> {
  const { workshop, job, context } = execution;
  const step = workshop.steps(rows.step);
  if (step?.rows === undefined)
    throw new JobFailure(
      'source_refused',
      `The step "${rows.step}" gives no rows, or its workload is switched off here.`,
      { retryable: false },
    );
  const { columns } = report.value;
  const given = step.rows(rows.id, whoOf(execution), context.signal);
  const passed = Number(from?.position.key[0] ?? 0);
  return {
    columns: columns
      .filter(({ hidden }) => !hidden)
      .map(({ name, label, format }): Column => ({ name: label ?? name, ...typeOf(format) })),
    hidden: 0,
    total: null,
    asOf: from?.asOf ?? new Date(job.createdAt).toISOString(),
    hasSnapshots: false,
    batches: batchesOf(
      given,
      columns.filter(({ hidden }) => !hidden).map(({ name }) => name),
      passed,
      from?.position.bytes ?? 0,
    ),
    close: async () => {},
  };
}

function whoOf({ job }: Execution): Who {
  const { tenant, submitter, correlationId, data } = job;
  const { roles, claims } = data.identity;
  return { tenant, submitter, roles, claims, correlationId };
}

async function* batchesOf(
  given: AsyncIterable<Readonly<Record<string, unknown>>>,
  names: readonly string[],
  passed: number,
  bytesBefore: number,
): AsyncGenerator<FedRows> {
  let seen = 0;
  let bytesRead = bytesBefore;
  let lines: string[] = [];
  const batch = (): FedRows => {
    const bytes = Buffer.from(lines.join(''));
    const rows = lines.length;
    lines = [];
    bytesRead += bytes.length;
    return {
      bytes,
      rows,
      position: { mode: 'stream', key: [String(seen)], rows: seen, bytes: bytesRead, left: 0 },
      isNewSnapshot: false,
      leftOut: 0,
    };
  };
  for await (const row of given) {
    seen += 1;
    if (seen <= passed) continue;
    lines.push(copyRecord(names.map((name) => textOf(row[name]))));
    if (lines.length === BATCH_ROWS) yield batch();
  }
  if (lines.length > 0) yield batch();
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const TYPES: Readonly<Record<ColumnFormat['as'], ColumnType>> = {
  text: 'text',
  'whole number': 'number',
  decimal: 'decimal',
  date: 'date',
  'date and time': 'date',
  boolean: 'boolean',
};

function typeOf(format: ColumnFormat | null): Omit<Column, 'name'> {
  if (format === null) return { type: 'text' };
  return format.as === 'decimal'
    ? { type: 'decimal', scale: format.places }
    : { type: TYPES[format.as] };
}
