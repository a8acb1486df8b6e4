import type { Clock, Events, JobId } from '@millrace/engine';
import type { Announcements } from '../service.ts';

/**
 * Tells all processes which jobs this one has changed, as long as someone watches: at once when it was quiet, else
 * every 100 ms. Without a watcher it only remembers the last two seconds: someone may have begun to watch, have
 * read the present state, and this process not have heard of it yet.
 */
export interface Announcer {
  /** A replica has readers: announce from now on. */
  hear(): void;
  /** Notifications may have been missed, so what was heard of readers is in doubt. */
  doubt(): void;
  /** Something that is no job has changed. */
  touch(name: string): void;
  /** Announces what is left, then ends. */
  close(): Promise<void>;
}

/**
 * How long a process goes on announcing after it last heard of a reader. Longer than readers rely on it (60 s), so
 * that no reader waits for announcements of a process that has stopped making them.
 */
const INTEREST_MS = 90_000;
const WINDOW_MS = 100;
const RETRY_MS = 1_000;
const RECENT_MS = 2_000;
/** Job ids are short: these fit into one Postgres notification (8,000 bytes). */
const MOST_JOBS = 250;

export function createAnnouncer(params: {
  announcements: Announcements;
  events: Events;
  clock: Clock;
  outage: Outage;
}): Announcer {
  const { announcements, events, clock, outage } = params;
  /** When each job was last changed here. */
  const touched = new Map<JobId, number>();
  /** When a change was last dropped for want of room; the next announcement then says `more`. */
  let overflowAt = -Infinity;
  // A process that starts may not hear of readers for 20 s: until then it announces as if there were some.
  let heardAt = clock.now();
  let isDoubtful = false;
  let flushedAt = -Infinity;
  let cancelTimer: (() => void) | null = null;
  let flushing: Promise<void> | null = null;
  let isClosed = false;

  const isWatched = (now = clock.now()): boolean => now - heardAt < INTEREST_MS;
  const hasNews = (): boolean => touched.size > 0 || overflowAt > -Infinity;

  function touch(id: JobId): void {
    const now = clock.now();
    const watched = isWatched(now);
    if (touched.size >= MOST_JOBS && !touched.has(id)) {
      overflowAt = now;
      if (watched) return;
      for (const oldest of touched.keys()) {
        touched.delete(oldest);
        break;
      }
    }
    // Deleted first, so that the map stays ordered by time and the oldest can be dropped.
    touched.delete(id);
    touched.set(id, now);
    if (watched) arm();
  }

  /** Jobs have changed whose ids are not known here: readers get `more`. */
  function touchOthers(): void {
    overflowAt = clock.now();
    if (isWatched()) arm();
  }

  function arm(): void {
    if (cancelTimer !== null || flushing !== null || isClosed) return;
    cancelTimer = clock.after(Math.max(0, flushedAt + WINDOW_MS - clock.now()), () => {
      cancelTimer = null;
      void flush();
    });
  }

  function flush(): Promise<void> {
    flushing ??= tell().finally(() => {
      flushing = null;
      if (hasNews() && isWatched()) arm();
    });
    return flushing;
  }

  async function tell(): Promise<void> {
    const jobs = [...touched.keys()];
    const more = overflowAt > -Infinity;
    touched.clear();
    overflowAt = -Infinity;
    flushedAt = clock.now();
    try {
      await announcements.announce({ announcement: { type: 'changed', jobs, more } });
      outage.fine();
    } catch (error) {
      outage.failed(error);
      flushedAt = clock.now() + RETRY_MS - WINDOW_MS;
      if (more) overflowAt = clock.now();
      for (const id of jobs) touch(id);
    }
  }

  const unlisten = listen(events, touch, touchOthers);

  return {
    hear() {
      if (!isWatched()) {
        const since = clock.now() - RECENT_MS;
        for (const [id, at] of touched) if (at < since) touched.delete(id);
        if (overflowAt < since) overflowAt = -Infinity;
        if (isDoubtful) overflowAt = clock.now();
      }
      isDoubtful = false;
      heardAt = clock.now();
      if (hasNews()) arm();
    },
    doubt() {
      if (!isWatched()) isDoubtful = true;
    },
    touch,
    async close() {
      isClosed = true;
      unlisten();
      cancelTimer?.();
      await flushing;
      if (hasNews() && isWatched()) await flush();
    },
  };
}

/** Every event that is about a job's state, by what it says about the job. */
function listen(events: Events, touch: (id: JobId) => void, touchOthers: () => void): () => void {
  const touchOne = ({ id }: { id: JobId }): void => touch(id);
  const stops = [
    events.on('job.enqueued', ({ id, created }) => created && touch(id)),
    events.on('jobs.moved', ({ ids }) => ids.forEach(touch)),
    ...(
      [
        'job.started',
        'job.succeeded',
        'job.failed',
        'job.retrying',
        'job.deferred',
        'job.canceled',
        'job.handedBack',
        'job.lost',
        'job.progress',
        'schedule.fired',
      ] as const
    ).map((name) => events.on(name, touchOne)),
    // These events carry a count and no ids.
    ...(['lease.takenOver', 'retention.pruned', 'gate.closed'] as const).map((name) =>
      events.on(name, touchOthers),
    ),
  ];
  return () => stops.forEach((stop) => stop());
}

/** Hears of each try that failed or passed, and decides what is worth a line: a store that is away fails them all. */
export interface Outage {
  failed(error: unknown): void;
  fine(): void;
}
