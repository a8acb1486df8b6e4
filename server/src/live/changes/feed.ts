import { type Clock, type JobId, type JobSummary, type Store, sleep } from '@millrace/engine';
import type { Announcement } from '@millrace/store-postgres';
import type { Cost } from '../streams/audience.ts';
import { traitsOf } from '../streams/filter.ts';
import { eventFrame, jobFrame } from '../streams/frames.ts';
import type { Batch, Ring, Told } from './ring.ts';
import { summariesOf } from './summaries.ts';
import type { Trouble } from '../trouble.ts';

export type Changed = Extract<Announcement, { readonly type: 'changed' }>;

/**
 * Makes batches of announcements, one after the other: a job is told as the store has it when the announcement is
 * read, so an event can be newer than its cause but never older. What could not be read, or heard, is a gap: then
 * everyone is told to look for themselves, and the ring starts anew.
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
  readonly ring: Ring;
  readonly clock: Clock;
  readonly trouble: Pick<Trouble, 'failed' | 'fine'>;
  readonly processId: string;
  /** Jobs that are watched one by one. */
  readonly watched: () => readonly JobId[];
  readonly look: (watched: readonly JobId[]) => Promise<{ jobs: JobSummary[]; more: boolean }>;
  /** `jobs`: as they were read, those that are watched among them if there were too many to name. */
  readonly onBatches: (batches: readonly Batch[], jobs: readonly JobSummary[]) => Cost;
  readonly onGap: (watched: readonly JobSummary[]) => Cost;
}

/** Jobs of one read: announcements that gathered while the store was slow are read together. */
const READ_AT_ONCE = 1_000;
/** Beyond this backlog, reading on would never catch up: it is given up as a gap. */
const MOST_WAITING = { announced: 1_000, jobs: 10_000 };
/** Readers get a fifth of the process at most: it has jobs to run as well. What comes meanwhile is told together. */
const REST = 4;
const RETRY_MS = { first: 1_000, most: 5_000 };

export function createFeed(params: FeedParams): Feed {
  const { store, ring, clock, trouble, processId, watched, look, onBatches, onGap } = params;
  let waiting: Changed[] = [];
  let isGap = false;
  let isPollDue = false;
  let isWorking = false;
  let isClosed = false;
  let retryMs = RETRY_MS.first;
  let takeBack: () => void = () => {};
  let polls = 0;

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
      takeBack = clock.after(retryMs, () => {
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
    polls += 1;
    return publish(
      [{ mark: `${processId}-poll-${polls}`, jobs: jobs.map(({ id }) => id), more }],
      jobs,
    );
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
    const ids = announced.flatMap(({ jobs }) => jobs);
    const others = announced.some(({ more }) => more) ? watched() : [];
    return publish(announced, await summariesOf(store, [...ids, ...others]));
  }

  function publish(announced: readonly Named[], found: readonly JobSummary[]): Cost {
    if (isGap || isClosed) return 0;
    const batches = batchesOf(announced, found);
    for (const batch of batches) ring.append(batch);
    return onBatches(batches, found);
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
    ring.clear();
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
      takeBack();
    },
  };
}

function isTooMuch(waiting: readonly Changed[]): boolean {
  const jobs = waiting.reduce((sum, announcement) => sum + announcement.jobs.length, 0);
  return waiting.length > MOST_WAITING.announced || jobs > MOST_WAITING.jobs;
}

type Named = Omit<Changed, 'type'>;

/** A job that several of them name is told with the last one: they would all say the same. */
function batchesOf(announced: readonly Named[], found: readonly JobSummary[]): Batch[] {
  const untold = new Map(found.map((job) => [job.id, job]));
  const batches = announced.toReversed().map(({ mark, jobs, more }): Batch => {
    const size = jobs.length + (more ? 1 : 0);
    const told = jobs.flatMap((id, index): Told[] => {
      const job = untold.get(id);
      if (job === undefined) return [];
      untold.delete(id);
      const position = index + 1;
      return [{ position, job: traitsOf(job), frame: jobFrame(job, `${mark}.${position}`) }];
    });
    const moreFrame = more ? eventFrame({ type: 'more' }, `${mark}.${size}`) : null;
    return { mark, size, jobs: told, more: moreFrame };
  });
  return batches.toReversed();
}
