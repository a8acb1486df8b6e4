import type { Events, JobId } from '@millrace/engine';

/** An execution that is over, after the store has written what became of it. */
export interface EndedJob {
  readonly id: JobId;
  readonly kind: string;
  /** `failed`: the job, for good. `other`: it was cancelled, goes on later, or is another worker's by now. */
  readonly outcome: 'succeeded' | 'failed' | 'other';
  /** Why it failed. */
  readonly reason: string | null;
  /** From the handler's start to the written end; null where this process did not run it. */
  readonly durationMs: number | null;
}

/** Reports every execution of this process when it is settled, and the jobs that took their worker with them. */
export function watchEndedJobs(events: Events, ended: (job: EndedJob) => void): void {
  events.on('job.succeeded', ({ id, kind, durationMs }) =>
    ended({ id, kind, outcome: 'succeeded', reason: null, durationMs }),
  );
  events.on('job.failed', ({ id, kind, durationMs, error }) =>
    ended({ id, kind, outcome: 'failed', reason: error.code, durationMs }),
  );
  events.on('job.lost', ({ id, kind }) =>
    ended({ id, kind, outcome: 'failed', reason: 'worker_lost', durationMs: null }),
  );
  const other = ({ id, kind }: { id: JobId; kind: string }): void =>
    ended({ id, kind, outcome: 'other', reason: null, durationMs: null });
  events.on('job.retrying', other);
  events.on('job.deferred', other);
  events.on('job.handedBack', other);
  events.on('job.canceled', other);
  events.on('lease.fenced', other);
}
