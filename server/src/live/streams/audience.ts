import type { JobId, JobSummary } from '@millrace/engine';
import type { Topic } from '@millrace/api';
import type { Batch, Cost } from '../changes/feed.ts';
import { concerns } from '../changes/moved.ts';
import { type StreamFilter, hasChanges, keyOf, matches, topicsOf, traitsOf } from './filter.ts';
import { type Frame, MORE, jobFrame } from './frames.ts';
import type { Stream } from './stream.ts';

/** The streams that are sent each change as it happens. */
export interface Audience extends Iterable<Stream> {
  add(stream: Stream): void;
  delete(stream: Stream): void;
  /** `found`: what was read for them, with the jobs that are watched if there were too many to name. */
  tell(batch: Batch, found: readonly JobSummary[]): Cost;
  /** Announcements were missed: each stream is sent `more`, or its watched job as it is now. */
  reportGap(watched: readonly JobSummary[]): Cost;
}

/** Streams that are asked for the same are sent the same bytes. */
interface Group {
  readonly filter: StreamFilter;
  readonly topics: ReadonlySet<Topic>;
  readonly streams: Set<Stream>;
}

/** Measured over 1,000 sockets: 10 µs for a write, and the copying. */
const WRITE_MS = 0.01;
const BYTE_MS = 0.000_001;

export function createAudience(): Audience {
  const groups = new Map<string, Group>();

  function send(framesFor: (group: Group) => readonly Frame[]): Cost {
    let cost = 0;
    for (const group of groups.values()) {
      const { topics, streams } = group;
      const frames = hasChanges(topics) ? framesFor(group) : [];
      if (frames.length === 0) continue;
      // One write per stream: a write costs the same for several events as for one.
      const bytes = Buffer.concat(frames);
      for (const stream of streams) stream.send(bytes);
      cost += streams.size * (WRITE_MS + bytes.length * BYTE_MS);
    }
    return cost;
  }

  return {
    add(stream) {
      const { filter } = stream;
      const key = keyOf(filter);
      const group = groups.get(key) ?? { filter, topics: topicsOf(filter), streams: new Set() };
      groups.set(key, group);
      group.streams.add(stream);
    },
    delete(stream) {
      const key = keyOf(stream.filter);
      const group = groups.get(key);
      if (group?.streams.delete(stream) && group.streams.size === 0) groups.delete(key);
    },
    tell(batch, found) {
      const watched = byId(batch.more === null ? [] : found);
      return send((group) => {
        const frames = framesOf(batch, group);
        return frames.length === 0 && group.topics.has('job')
          ? watchedFrame(group.filter, watched)
          : frames;
      });
    },
    reportGap(found) {
      const watched = byId(found);
      return send(({ filter, topics }) =>
        filter.id === undefined || !topics.has('job') ? [MORE] : watchedFrame(filter, watched),
      );
    },
    *[Symbol.iterator]() {
      for (const { streams } of groups.values()) yield* streams;
    },
  };
}

function byId(jobs: readonly JobSummary[]): ReadonlyMap<JobId, JobSummary> {
  return new Map(jobs.map((job) => [job.id, job]));
}

/** A stream that watches one job is sent that job instead of `more`. */
function watchedFrame(filter: StreamFilter, jobs: ReadonlyMap<JobId, JobSummary>): Frame[] {
  const job = filter.id === undefined ? undefined : jobs.get(filter.id);
  return job !== undefined && matches(filter, traitsOf(job)) ? [jobFrame(job)] : [];
}

function framesOf({ changes, more }: Batch, { filter, topics }: Group): Frame[] {
  const frames = changes
    .filter(({ traits }) => topics.has(traits.topic) && matches(filter, traits))
    .map(({ frame }) => frame);
  const hasMore = more !== null && filter.id === undefined && concerns(more, filter.scope);
  return hasMore ? [...frames, MORE] : frames;
}
