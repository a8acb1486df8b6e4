import type { Chunk } from '@millrace/engine';
import { createCopiedTable } from '@millrace/tables';
import type { Output } from '../outputs/types.ts';
import type { ReportResult } from '../result.ts';
import { type ReportCursor, withSeam } from './cursor.ts';
import type { Feed } from './feed.ts';
import { noteOf } from './note.ts';
import { openFeed } from './open-feed.ts';
import type { Prepared } from './prepare.ts';
import type { Execution } from './workshop.ts';

interface Beginning {
  /** Null: a new file. */
  readonly from: ReportCursor | null;
  readonly restarts: number;
  /** After each chunk that is saved. */
  readonly onSaved: () => void;
}

export async function* writeReport(
  execution: Execution,
  prepared: Prepared,
  beginning: Beginning,
): AsyncGenerator<Chunk, ReportResult, void> {
  const { workshop, job, context } = execution;
  const { from } = beginning;
  const output = await workshop.outputs.open({
    job: job.id,
    epoch: context.lease.epoch,
    at: from?.place ?? null,
    signal: context.signal,
  });
  try {
    const feed = await openFeed(execution, prepared, from);
    try {
      return yield* copy(execution, prepared, { ...beginning, output, feed });
    } finally {
      await feed.close();
    }
  } finally {
    await output.abandon();
  }
}

interface Copying extends Beginning {
  readonly output: Output;
  readonly feed: Feed;
}

async function* copy(
  execution: Execution,
  prepared: Prepared,
  { from, restarts, onSaved, output, feed }: Copying,
): AsyncGenerator<Chunk, ReportResult, void> {
  const { workshop, context } = execution;
  const { choice } = prepared;
  const table = createCopiedTable(
    {
      ...choice,
      columns: feed.columns,
      hidden: feed.hidden,
      ...(!prepared.report.value.formulaGuard && { csv: { formulaGuard: false } }),
    },
    from?.table,
  );
  const { asOf } = feed;
  const total = from?.total ?? feed.total;
  const pace = createPace(execution, from?.rows ?? 0);
  let chunks = from?.chunks ?? 0;
  let rows = from?.rows ?? 0;
  let leftOut = from?.leftOut ?? 0;
  let seams = from?.seams ?? [];
  /** The next row is of another snapshot than the one before it, if there is a next row. */
  let isSeam = from !== null && feed.hasSnapshots;

  for await (const batch of feed.batches) {
    context.signal.throwIfAborted();
    isSeam ||= batch.isNewSnapshot;
    leftOut += batch.leftOut;
    if (batch.rows === 0) continue;
    if (isSeam) seams = withSeam(seams, rows);
    isSeam = false;
    for (const piece of table.write(batch)) await output.write(piece);
    rows += batch.rows;
    if (!output.canSync) {
      context.progress(progressOf(rows, total));
      continue;
    }
    chunks += 1;
    const place = await output.sync();
    const { position } = batch;
    const state = table.state();
    const cursor: ReportCursor = {
      position,
      rows,
      chunks,
      total,
      place,
      table: state,
      asOf,
      seams,
      leftOut,
      restarts,
    };
    yield { cursor, progress: progressOf(rows, total) };
    onSaved();
    workshop.metrics.chunk(choice.format, batch);
    await pace.report({ rows, bytes: state.bytes, chunks, total });
  }
  for (const piece of table.end()) await output.write(piece);
  const facts = {
    ...(await output.finish()),
    rows,
    chunks,
    rowsPerSecond: pace.rowsPerSecond(rows),
  };
  const { notes } = table.state();
  const hasAsOf = prepared.report.value.asOf !== null;
  return finished(execution, prepared, {
    ...facts,
    note: noteOf({ seams, leftOut, restarts }, { ...notes, hasAsOf }),
  });
}

async function finished(
  { workshop, job, context }: Execution,
  { report, parameters, fileName, choice }: Prepared,
  facts: Omit<RunFacts, 'fileName' | 'keepMs'>,
): Promise<ReportResult> {
  const execution = { id: job.id, epoch: context.lease.epoch };
  const keepMs = report.value.expiresMs ?? workshop.config.keepMs;
  await workshop.runs.finish(execution, { ...facts, fileName, keepMs });
  const { rows, bytes, sha256, chunks, note } = facts;
  return {
    report: report.name,
    parameters,
    ...choice,
    fileName,
    rows,
    bytes,
    sha256,
    chunks,
    note,
  };
}

type RunFacts = Parameters<Execution['workshop']['runs']['finish']>[1];

/** Rows a second of this execution, and how far it is, for whoever looks at the run. */
function createPace({ workshop, job, context }: Execution, before: number) {
  const { clock, runs } = workshop;
  const begunAt = clock.now();
  const execution = { id: job.id, epoch: context.lease.epoch };
  function rowsPerSecond(rows: number): number | null {
    const seconds = (clock.now() - begunAt) / 1_000;
    return seconds <= 0 ? null : Math.round((rows - before) / seconds);
  }
  return {
    rowsPerSecond,
    report: (figures: { rows: number; bytes: number; chunks: number; total: number | null }) =>
      runs.progress(execution, { ...figures, rowsPerSecond: rowsPerSecond(figures.rows) }),
  };
}

/** A guess that turns out to be too small is no reason to show more than all of it. */
function progressOf(rows: number, total: number | null) {
  return total === null ? { done: rows } : { done: rows, total: Math.max(rows, total) };
}
