import { type JobSummary, type Store, narrowed } from '@millrace/engine';
import { defined } from '@millrace/workload-kit';
import { sharedNext } from '../shared.ts';
import type { Things } from '../things.ts';
import { type StreamFilter, keyOf, matches, topicsOf, traitsOf } from './filter.ts';
import { type Frame, eventFrame, jobFrame } from './frames.ts';

/** The jobs and things of workloads that a new stream is sent before anything changes. */
export type Present = (filter: StreamFilter) => Promise<readonly Frame[]>;

const MOST_JOBS = 200;

/**
 * Streams that ask for the same at the same time share one reading, so that a thousand readers who come back at
 * once do not ask the store a thousand times. It begins after each of them has joined the audience: what changes
 * before it is in it, and what changes afterwards is sent to them.
 */
export function createPresent(params: {
  store: Store;
  things: Things;
  onRead: (jobs: readonly JobSummary[]) => void;
}): Present {
  const { store, things, onRead } = params;
  const readings = new Map<string, { readonly next: () => Promise<Frame[]>; waiting: number }>();

  async function read(filter: StreamFilter): Promise<Frame[]> {
    const [jobs, others] = await Promise.all([
      jobsOf(store, filter),
      things.present(topicsOf(filter), filter.scope, filter.id),
    ]);
    onRead(jobs);
    const shown = others.filter(({ traits }) => matches(filter, traits));
    return [...jobs.map(jobFrame), ...shown.map(({ event }) => eventFrame(event))];
  }

  return async (filter) => {
    const key = keyOf(filter);
    const reading = readings.get(key) ?? { next: sharedNext(() => read(filter)), waiting: 0 };
    readings.set(key, reading);
    reading.waiting += 1;
    try {
      return await reading.next();
    } finally {
      reading.waiting -= 1;
      if (reading.waiting === 0) readings.delete(key);
    }
  };
}

/** The one job, or those that run, or the newest of what was asked for; the oldest of them first. */
async function jobsOf(store: Store, asked: StreamFilter): Promise<JobSummary[]> {
  if (!topicsOf(asked).has('job')) return [];
  const { id, kind, tenant, correlationId } = asked;
  if (id !== undefined) {
    const found = await store.summaries({ ids: [id] });
    return found.filter((job) => matches(asked, traitsOf(job)));
  }
  const state = asked.state ?? (correlationId === undefined ? 'PROCESSING' : undefined);
  const filter = narrowed(asked.scope, defined({ kind, tenant, correlationId, state }));
  const { jobs } = await store.list({ filter, limit: MOST_JOBS });
  return jobs.toReversed();
}
