import type { Events } from '../events.ts';
import type { JobId } from '../job.ts';
import type { TookOver } from './status.ts';

const KEPT = 10;
const JOBS_NAMED = 10;

/** What this worker has taken over from others that went away, by worker, the last few: people who look for one find it here. */
export function noteTakeOvers(events: Events, wallClock: () => number): () => TookOver[] {
  const kept = new Map<string, { at: number; count: number; jobs: JobId[] }>();
  events.on('lease.takenOver', ({ from }) => {
    for (const { worker, id } of from) {
      const entry = kept.get(worker) ?? { at: 0, count: 0, jobs: [] };
      kept.delete(worker);
      const jobs = entry.jobs.length < JOBS_NAMED ? [...entry.jobs, id] : entry.jobs;
      kept.set(worker, { at: wallClock(), count: entry.count + 1, jobs });
    }
    for (const worker of kept.keys()) {
      if (kept.size <= KEPT) break;
      kept.delete(worker);
    }
  });
  return () => Array.from(kept, ([worker, entry]) => ({ worker, ...entry }));
}
