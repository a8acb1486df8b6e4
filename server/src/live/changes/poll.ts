import type { JobId, JobSummary, Store } from '@millrace/engine';
import { summariesOf } from './summaries.ts';

/**
 * Where no notification arrives from other processes, they are looked at: jobs that run, those that have ceased to,
 * and those that someone watches. A job of another process that begins and ends between two rounds is not seen;
 * that there was one shows in the counts.
 */
export interface Poll {
  /** Told to all by other means: known as they are. */
  told(jobs: readonly JobSummary[]): void;
  /** Told to someone: what becomes of them has to be told. */
  shown(jobs: readonly JobSummary[]): void;
  /** Gives the jobs that are not as they were known. */
  runOnce(watched: readonly JobId[]): Promise<JobSummary[]>;
}

const MOST_RUNNING = 500;
/** How a job was that not everyone has been told of: like no other. */
const UNTOLD = '';

export function createPoll(store: Store): Poll {
  /** Job → how it was. */
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
