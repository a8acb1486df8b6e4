import type { Job, JobId, JobKind } from '@millrace/engine';
import { TestQueueError } from './errors.ts';
import { type JobRun, parsed } from './runs.ts';

/** A job as a test looks at it: values instead of JSON. */
export interface TestJob<Input = unknown> extends Omit<
  Job,
  'payload' | 'result' | 'cursor' | 'executions'
> {
  readonly data: Input;
  readonly result: unknown;
  readonly cursor: unknown;
  /** All its executions, oldest first. */
  readonly runs: readonly JobRun[];
}

/** The data that it waits with, or ran with last. */
export function viewOf(job: Job, all: readonly JobRun[]): TestJob {
  const { payload, result, cursor, executions: _executions, ...rest } = job;
  const runs = all.filter(({ id }) => id === job.id);
  return {
    ...rest,
    // A kind may forget its payload once it has succeeded.
    data: payload === null ? (runs.at(-1)?.data ?? null) : parsed(payload),
    result: result === null ? null : parsed(result),
    cursor: cursor === null ? null : parsed(cursor),
    runs,
  };
}

/** The data that a job was enqueued with, as its handler gets it: a defer may have changed it since. */
export function enqueuedData<Input>(
  kind: JobKind<Input>,
  job: Job,
  runs: readonly JobRun[],
): Input {
  const first = runs.find(({ id }) => id === job.id);
  const given = first === undefined && job.payload !== null ? parsed(job.payload) : first?.data;
  if (first !== undefined) return given as Input;
  const read = kind.input.safeParse(given);
  if (read.success) return read.data;
  const why = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw unfit(job.id, kind.kind, why.join('; '));
}

function unfit(id: JobId, kind: string, why: string): TestQueueError {
  return new TestQueueError(
    'invalid_options',
    `${id} has data that its kind "${kind}" does not take: ${why}. queue.job('${id}') has it as it is.`,
  );
}
