import {
  type Clock,
  type EventName,
  type Events,
  type JobId,
  MillraceError,
  StoreStopped,
  StoreUnavailable,
  isFinished,
} from '@millrace/engine';
import type { FoundJob } from './job.ts';

/** Local events after which a job may have ended. */
const ENDS = [
  'job.succeeded',
  'job.failed',
  'job.canceled',
  'job.lost',
  'jobs.moved',
] as const satisfies readonly EventName[];

/** A job that ends in another process is found so late at the most. */
const LOOK_AGAIN_MS = 1_000;

export type Finished = (
  id: JobId,
  options?: { readonly signal?: AbortSignal },
) => Promise<FoundJob>;

/** Waits for the end of a job, wherever it runs. */
export function createFinished(params: {
  readonly get: (id: JobId) => Promise<FoundJob | null>;
  readonly events: Events;
  readonly clock: Clock;
}): Finished {
  const { get, events, clock } = params;

  /** Listens from now on: an end between two looks is heard of too. */
  function listen(id: JobId, signal: AbortSignal | undefined) {
    let wake: () => void = () => {};
    const woken = new Promise<void>((resolve) => (wake = resolve));
    const forget = ENDS.map((name) =>
      events.on(name, (event) => {
        if ('ids' in event ? event.ids.includes(id) : event.id === id) wake();
      }),
    );
    forget.push(clock.after(LOOK_AGAIN_MS, wake));
    signal?.addEventListener('abort', wake, { once: true });
    return {
      woken,
      end() {
        for (const each of forget) each();
        signal?.removeEventListener('abort', wake);
      },
    };
  }

  /** Once the job was seen, a database that is away is waited for like the job itself: it may be restarted meanwhile. */
  async function look(id: JobId, seen: FoundJob | null): Promise<FoundJob | null> {
    try {
      return await get(id);
    } catch (error) {
      const isAway = error instanceof StoreUnavailable && !(error instanceof StoreStopped);
      if (seen !== null && isAway) return seen;
      throw error;
    }
  }

  return async (id, { signal } = {}) => {
    let job: FoundJob | null = null;
    for (;;) {
      signal?.throwIfAborted();
      const listening = listen(id, signal);
      try {
        job = await look(id, job);
        if (job === null) throw new MillraceError('job_not_found', `There is no job "${id}".`);
        if (isFinished(job.state)) return job;
        await listening.woken;
      } finally {
        listening.end();
      }
    }
  };
}
