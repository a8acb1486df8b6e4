import type { JobId, JobSummary, Store } from '@millrace/engine';

/**
 * Finds what other processes have changed where no notification arrives: looks at jobs that run, jobs that ran at the
 * last look, and jobs that a stream watches. A job that begins and ends between two looks is not found; that there
 * was one shows in the counts.
 */
export interface Poll {
  /** These jobs were sent to all streams by other means: they need not be sent again unless they change. */
  told(jobs: readonly JobSummary[]): void;
  /** These jobs were sent to one new stream only: their next state has to be sent. */
  shown(jobs: readonly JobSummary[]): void;
  /** Gives the jobs that have changed since they were last sent. */
  runOnce(watched: readonly JobId[]): Promise<JobSummary[]>;
}

const MOST_RUNNING = 500;
/**
 * In place of the last state of a job that only some streams have been sent: it equals no state, so the job is sent
 * again.
 */
const UNTOLD = '';

export function createPoll(store: Store): Poll {
  /** Each job as it was last sent to all streams, as JSON. */
  const known = new Map<JobId, string>();

  return {
    told(jobs) {
      for (const job of jobs) {
        if (job.state === 'PROCESSING' || known.has(job.id)) known.set(job.id, JSON.stringify(job));
      }
    },
    shown(jobs) {
      for (const { id, state } of jobs) {
        if (state === 'PROCESSING' && !known.has(id)) known.set(id, UNTOLD);
      }
    },
    async runOnce(watched) {
      const before = new Map(known);
      const { jobs } = await store.list({ filter: { state: 'PROCESSING' }, limit: MOST_RUNNING });
      const running = new Set(jobs.map(({ id }) => id));
      const others = [...before.keys(), ...watched].filter((id) => !running.has(id));
      const found = [...jobs, ...(await summariesOf(store, others))];
      const kept = new Set([...running, ...watched]);
      for (const id of before.keys()) if (!kept.has(id)) known.delete(id);
      for (const job of found) if (kept.has(job.id)) known.set(job.id, JSON.stringify(job));
      return found.filter((job) => before.get(job.id) !== JSON.stringify(job));
    },
  };
}

const AT_ONCE = 1_000;

/** The summaries of any number of jobs, read in parts that the store takes. */
export async function summariesOf(store: Store, ids: Iterable<JobId>): Promise<JobSummary[]> {
  const wanted = [...new Set(ids)];
  const found: JobSummary[] = [];
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    found.push(...(await store.summaries({ ids: wanted.slice(from, from + AT_ONCE) })));
  }
  return found;
}
