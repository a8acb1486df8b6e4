import type { Clock } from './clock.ts';
import type { ClaimedJob, NewJob, Progress } from './job.ts';
import type { JobKind } from './kind.ts';

export type AbortReason = 'canceled' | 'timeout' | 'lease_lost' | 'shutdown';

/** One execution under way in this process. */
export interface Running {
  readonly job: ClaimedJob;
  readonly kind: JobKind;
  readonly startedAt: number;
  readonly timeoutAt: number;
  /** Local and monotonic, a margin before the store could let the lease end. */
  deadline: number;
  /** Executions since the cursor last advanced. */
  attempt: number;
  abortReason: AbortReason | null;
  progress: Progress | null;
  children: NewJob[];
  readonly signal: AbortSignal;
  abort(reason: AbortReason): void;
  /** Called once when the handler has had its time to react to an abort. */
  onGiveUp: () => void;
}

/** How long a handler may clean up after an abort before the engine goes on without it. */
export const ABORT_GRACE_MS = 5_000;

export function createRunning(params: {
  job: ClaimedJob;
  kind: JobKind;
  clock: Clock;
  deadline: number;
}): Running {
  const { job, kind, clock, deadline } = params;
  const startedAt = clock.now();
  // Most jobs never look at their signal: it is made when first asked for (3 µs a job otherwise).
  let controller: AbortController | null = null;
  const running: Running = {
    job,
    kind,
    startedAt,
    timeoutAt: startedAt + kind.timeoutMs,
    deadline,
    attempt: job.attempt,
    abortReason: null,
    progress: null,
    children: [],
    get signal() {
      controller ??= new AbortController();
      if (running.abortReason !== null) controller.abort(abortError(running.abortReason));
      return controller.signal;
    },
    abort(reason) {
      if (running.abortReason !== null) return;
      running.abortReason = reason;
      controller?.abort(abortError(reason));
      // Without the lease there is nothing left to write: do not wait.
      clock.after(reason === 'lease_lost' ? 0 : ABORT_GRACE_MS, () => running.onGiveUp());
    },
    onGiveUp: () => {},
  };
  return running;
}

function abortError(reason: AbortReason): Error {
  const error = new Error(`The job was aborted: ${reason}.`);
  error.name = 'AbortError';
  return error;
}
