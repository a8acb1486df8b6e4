import {
  type Chunk,
  type JobContext,
  JobFailure,
  type Outcome,
  defer,
  done,
} from '@millrace/engine';
import type { ReportResult } from '../result.ts';
import { cursorOf } from './cursor.ts';
import { isAway, isLostOutput, isReadWhole, isStorageAway, toFailure } from './failure.ts';
import { NotHandedOver, handOver } from './hand-over.ts';
import { type Prepared, prepare } from './prepare.ts';
import { nextTry } from './waiting.ts';
import type { Execution, ReportRunning, Workshop } from './workshop.ts';
import { writeReport } from './write.ts';

/**
 * The way of a report: what is asked for and who may see what (prepare), then rows from the source into a file that grows chunk
 * by chunk (write). Bytes are safe in the output before the cursor that speaks of them is saved, so whoever goes on cuts the file
 * there and has, in the end, the bytes of a run that was never interrupted (docs/decisions/0026-reports.md).
 */
export async function* runReport(
  workshop: Workshop,
  job: ReportRunning,
  context: JobContext,
): AsyncGenerator<Chunk, Outcome, void> {
  const execution = { workshop, job, context };
  const way = { hasMoved: false };
  try {
    const prepared = await prepare(execution);
    const { report, parameters } = prepared;
    await workshop.runs.begin(
      { id: job.id, epoch: context.lease.epoch },
      { job, title: report.value.title, parameters, resumed: job.cursor !== null },
    );
    const result = job.data.written ?? (yield* written(execution, prepared, way));
    way.hasMoved ||= job.data.written === undefined;
    await handed(execution, prepared, result);
    await workshop.forgetToken(job.id);
    return done(result);
  } catch (error) {
    // The engine knows why it was stopped, and what becomes of it.
    if (context.signal.aborted) throw error;
    return later(execution, error, way);
  }
}

/** What the other service may take later is kept apart: the file need not be written again for it. */
async function handed(
  execution: Execution,
  prepared: Prepared,
  result: ReportResult,
): Promise<void> {
  try {
    await handOver(execution, prepared, result);
  } catch (error) {
    if (error instanceof JobFailure && error.retryable) throw new NotHandedOver(error, result);
    throw error;
  }
}

/** Whether this execution has got further than the one before it: then whoever is away now has only just gone. */
interface Way {
  hasMoved: boolean;
}

/** A file whose beginning is gone (another machine's disk, an upload that has expired) is begun again, and one of groups that get other keys. */
async function* written(
  execution: Execution,
  prepared: Prepared,
  way: Way,
): AsyncGenerator<Chunk, ReportResult, void> {
  const from = cursorOf(execution.job.cursor);
  const onSaved = () => (way.hasMoved = true);
  try {
    return yield* writeReport(execution, prepared, {
      from,
      restarts: from?.restarts ?? 0,
      onSaved,
    });
  } catch (error) {
    const isLost = isLostOutput(error);
    if (from === null || !(isLost || isReadWhole(error))) throw error;
    if (isLost) execution.workshop.metrics.restarted();
    execution.context.log.warn({ err: error }, 'the file is begun again');
    const restarts = from.restarts + (isLost ? 1 : 0);
    return yield* writeReport(execution, prepared, { from: null, restarts, onSaved });
  }
}

/** Puts the job back while its source, or the place of its file, is away, and fails it for any other reason. */
function later({ workshop, job, context }: Execution, error: unknown, way: Way): Outcome {
  const { clock, config, metrics } = workshop;
  const waited = way.hasMoved ? undefined : job.data.waiting;
  const isLate = error instanceof NotHandedOver;
  const next =
    isLate || isAway(error) || isStorageAway(error)
      ? nextTry(waited, clock.now(), config.patience)
      : null;
  if (next === null) {
    const failure = toFailure(isLate ? error.failure : error);
    metrics.failed(failure.code);
    throw failure;
  }
  const { waiting } = next;
  const afterMs = Math.max(next.afterMs, isStorageAway(error) ? (error.retryAfterMs ?? 0) : 0);
  context.log.warn({ err: error, afterMs }, whoIsAway(error));
  const file = isLate ? { written: error.result } : {};
  return defer({ after: afterMs, data: { ...job.data, ...file, waiting } });
}

function whoIsAway(error: unknown): string {
  if (error instanceof NotHandedOver) return 'the report is not handed over yet';
  return isAway(error) ? 'the source of the reports is away' : 'the storage of the reports is away';
}
