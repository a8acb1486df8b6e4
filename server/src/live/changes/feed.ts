import { type Clock, type JobId, type JobSummary, type Store, sleep } from '@millrace/engine';
import type { Announcement } from '@millrace/store-postgres';
import { type Traits, traitsOf } from '../streams/filter.ts';
import { type Frame, eventFrame, jobFrame } from '../streams/frames.ts';
import type { Things } from '../things.ts';
import { isJobId } from '../topics.ts';
import type { Moved, Tenants } from './moved.ts';
import { summariesOf } from './poll.ts';
import type { Trouble } from '../trouble.ts';

export type Changed = Extract<Announcement, { readonly type: 'changed' }>;

/** About how many milliseconds of this process a message to all streams takes, most of them after the call. */
export type Cost = number;

/** The changes found by one read, sent to all streams. */
export interface Batch {
  /** In the order of their announcements, each once. */
  readonly changes: readonly Change[];
  /** Tenants whose jobs changed beyond these: nobody else is sent `more`. */
  readonly more: Tenants | null;
}

/** A job, or a thing of a workload, that is not as it was. */
export interface Change {
  readonly traits: Traits;
  readonly frame: Frame;
}

/**
 * Reads what is announced, one reading after the other: a job is sent as the store has it when the announcement is
 * read, so an event can be newer than its cause but never older. What could not be read, or heard, is a gap: then
 * every reader is sent `more`, whoever's jobs they were.
 */
export interface Feed {
  take(announcement: Changed): void;
  gap(): void;
  /** Polls the store for what other processes have changed, where notifications do not arrive. */
  poll(): void;
  close(): void;
}

export interface FeedParams {
  readonly store: Store;
  readonly things: Things;
  readonly clock: Clock;
  readonly trouble: Pick<Trouble, 'failed' | 'fine'>;
  /** Jobs that are watched one by one. */
  readonly watched: () => readonly JobId[];
  /** The tenants with changed jobs, if not all jobs are named. */
  readonly moved: Moved['since'];
  readonly look: (watched: readonly JobId[]) => Promise<{ jobs: JobSummary[]; more: boolean }>;
  /** `jobs`: as they were read, those that are watched among them if there were too many to name. */
  readonly onBatch: (batch: Batch, jobs: readonly JobSummary[]) => Cost;
  readonly onGap: (watched: readonly JobSummary[]) => Cost;
}

/** Jobs of one read: announcements that gathered while the store was slow are read together. */
const READ_AT_ONCE = 1_000;
/** Beyond this backlog, reading on would never catch up: it is given up as a gap. */
const MOST_WAITING = { announced: 1_000, jobs: 10_000 };
/** Readers get a fifth of the process at most: it has jobs to run as well. What comes meanwhile is sent together. */
const REST = 4;
const RETRY_MS = { first: 1_000, most: 5_000 };

export function createFeed(params: FeedParams): Feed {
  const { store, things, clock, trouble, watched, moved, look, onBatch, onGap } = params;
  let waiting: Changed[] = [];
  let isGap = false;
  let isPollDue = false;
  let isWorking = false;
  let isClosed = false;
  let retryMs = RETRY_MS.first;
  let cancelTimer: () => void = () => {};

  async function work(): Promise<void> {
    if (isWorking || isClosed) return;
    isWorking = true;
    try {
      while (!isClosed && (isGap || isPollDue || waiting.length > 0)) {
        const restMs = REST * (await step());
        if (restMs >= 1) await sleep(clock, restMs);
      }
      retryMs = RETRY_MS.first;
      trouble.fine();
      isWorking = false;
    } catch (error) {
      trouble.failed(error);
      startGap();
      cancelTimer = clock.after(retryMs, () => {
        isWorking = false;
        void work();
      });
      retryMs = Math.min(retryMs * 2, RETRY_MS.most);
    }
  }

  async function step(): Promise<Cost> {
    if (isGap) return recover();
    if (waiting.length > 0) return read(takeSome());
    isPollDue = false;
    const { jobs, more } = await look(watched());
    if (jobs.length === 0 && !more) return 0;
    return publish(jobs.map(changeOf), jobs, more ? await moved() : null);
  }

  function takeSome(): Changed[] {
    let jobs = 0;
    const count = waiting.findIndex(
      (announcement) => (jobs += announcement.jobs.length) > READ_AT_ONCE,
    );
    // An announcement that is larger than that on its own is read on its own.
    return waiting.splice(0, count === -1 ? waiting.length : Math.max(1, count));
  }

  async function read(announced: readonly Changed[]): Promise<Cost> {
    // A job that is announced several times is sent once, in the place of the last.
    const names = [...new Set(announced.flatMap(({ jobs }) => jobs).toReversed())].toReversed();
    const hasMore = announced.some(({ more }) => more);
    const [jobs, others, more] = await Promise.all([
      summariesOf(store, [...names.filter(isJobId), ...(hasMore ? watched() : [])]),
      things.read(names.filter((name) => !isJobId(name))),
      hasMore ? moved() : null,
    ]);
    const found = new Map<string, Change>(jobs.map((job) => [job.id, changeOf(job)]));
    for (const { name, traits, event } of others)
      found.set(name, { traits, frame: eventFrame(event) });
    return publish(
      names.flatMap((name) => found.get(name) ?? []),
      jobs,
      more,
    );
  }

  function publish(
    changes: readonly Change[],
    jobs: readonly JobSummary[],
    more: Tenants | null,
  ): Cost {
    return isGap || isClosed ? 0 : onBatch({ changes, more }, jobs);
  }

  /** Ends a gap: watched jobs are read as they are now, and announcements count again from here on. */
  async function recover(): Promise<Cost> {
    isPollDue = false;
    isGap = false;
    return onGap(await summariesOf(store, watched()));
  }

  function startGap(): void {
    isGap = true;
    waiting = [];
  }

  return {
    take(announcement) {
      // An announcement that arrives before the gap is closed belongs to the gap.
      if (!isGap) waiting.push(announcement);
      if (isTooMuch(waiting)) startGap();
      void work();
    },
    gap() {
      startGap();
      void work();
    },
    poll() {
      isPollDue = true;
      void work();
    },
    close() {
      isClosed = true;
      cancelTimer();
    },
  };
}

function isTooMuch(waiting: readonly Changed[]): boolean {
  const jobs = waiting.reduce((sum, announcement) => sum + announcement.jobs.length, 0);
  return waiting.length > MOST_WAITING.announced || jobs > MOST_WAITING.jobs;
}

function changeOf(job: JobSummary): Change {
  return { traits: traitsOf(job), frame: jobFrame(job) };
}
