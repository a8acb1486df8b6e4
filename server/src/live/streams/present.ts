import { type JobSummary, type Store, narrowed } from '@millrace/engine';
import { defined } from '@millrace/workload-kit';
import type { Things } from '../things.ts';
import { type StreamFilter, keyOf, matches, topicsOf, traitsOf } from './filter.ts';
import { type Frame, eventFrame, jobFrame, joined } from './frames.ts';
import type { Place, Ring } from '../changes/ring.ts';

/** The jobs that a new stream is sent before anything changes. */
export interface Present {
  readonly pieces: readonly Frame[];
  /** What changed after the reading began comes after this place … */
  readonly place: Place;
  /** … which has this id. */
  readonly placeId: string | null;
}

const MOST_JOBS = 200;

/**
 * Streams that ask for the same at the same time share one reading, so that a thousand readers who come back at
 * once do not ask the store a thousand times. They also share its place in the ring, so nothing gets lost.
 */
export function createPresent(params: {
  store: Store;
  things: Things;
  ring: Ring;
  onRead: (jobs: readonly JobSummary[]) => void;
}): (filter: StreamFilter) => Promise<Present> {
  const { store, things, ring, onRead } = params;
  const readings = new Map<string, Promise<Present>>();

  async function read(filter: StreamFilter): Promise<Present> {
    const [place, placeId] = [ring.end(), ring.endId()];
    const [jobs, told] = await Promise.all([
      jobsOf(store, filter),
      things.present(topicsOf(filter), filter.scope, filter.id),
    ]);
    onRead(jobs);
    const shown = told.filter(({ traits }) => matches(filter, traits));
    const frames = [
      ...jobs.map((job) => jobFrame(job)),
      ...shown.map(({ event }) => eventFrame(event)),
    ];
    return { pieces: joined(frames), place, placeId };
  }

  return (filter) => {
    const key = keyOf(filter);
    const reading = readings.get(key) ?? read(filter).finally(() => readings.delete(key));
    readings.set(key, reading);
    return reading;
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
