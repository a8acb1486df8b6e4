import { type Clock, type JobId, type JobSummary, type Store, sleep } from '@millrace/engine';
import type { Announcement } from '@millrace/store-postgres';
import type { Cost } from '../streams/audience.ts';
import { type Traits, traitsOf } from '../streams/filter.ts';
import { type Frame, eventFrame, jobFrame } from '../streams/frames.ts';
import type { Things } from '../things.ts';
import { isJobId } from '../topics.ts';
import type { Moved, Tenants } from './moved.ts';
import type { Batch, Ring, Told } from './ring.ts';
import { summariesOf } from './summaries.ts';
import type { Trouble } from '../trouble.ts';

export type Changed = Extract<Announcement, { readonly type: 'changed' }>;

/**
 * Makes batches of announcements, one after the other: a job is sent as the store has it when the announcement is
 * read, so an event can be newer than its cause but never older. What could not be read, or heard, is a gap: then
 * everyone is told to look for themselves, whosever jobs they were, and the ring starts again.
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
  readonly ring: Ring;
  readonly clock: Clock;
  readonly trouble: Pick<Trouble, 'failed' | 'fine'>;
  readonly processId: string;
  /** Jobs that are watched one by one. */
  readonly watched: () => readonly JobId[];
  /** Whose jobs have changed, where they are not all named. */
  readonly moved: Moved['since'];
  readonly look: (watched: readonly JobId[]) => Promise<{ jobs: JobSummary[]; more: boolean }>;
  /** `jobs`: as they were read, those that are watched among them if there were too many to name. */
  readonly onBatches: (batches: readonly Batch[], jobs: readonly JobSummary[]) => Cost;
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
  const { store, things, ring, clock, trouble, processId, watched } = params;
  const { moved, look, onBatches, onGap } = params;
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
    const looked = { mark: `${processId}-poll-${polls}`, jobs: jobs.map(({ id }) => id), more };
    return publish([looked], { found: jobs, told: [], tenants: more ? await moved() : NONE });
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
    const names = announced.flatMap(({ jobs }) => jobs);
    const hasMore = announced.some(({ more }) => more);
    const [found, told, tenants] = await Promise.all([
      summariesOf(store, [...names.filter(isJobId), ...(hasMore ? watched() : [])]),
      things.read(names.filter((name) => !isJobId(name))),
      hasMore ? moved() : NONE,
    ]);
    return publish(announced, { found, told, tenants });
  }

  function publish(announced: readonly Named[], { found, told, tenants }: Read): Cost {
    if (isGap || isClosed) return 0;
    const changes = [
      ...found.map((job) => ({
        name: job.id,
        traits: traitsOf(job),
        frame: (id: string) => jobFrame(job, id),
      })),
      ...told.map(({ name, traits, event }) => ({
        name,
        traits,
        frame: (id: string) => eventFrame(event, id),
      })),
    ];
    const batches = batchesOf(announced, changes, tenants);
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

/** What was read for announcements: what they name, and whose jobs they do not. */
interface Read {
  readonly found: readonly JobSummary[];
  readonly told: Awaited<ReturnType<Things['read']>>;
  readonly tenants: Tenants;
}

const NONE: Tenants = new Set();

/** A job, or a thing of a workload, that is not as it was. */
interface Change {
  /** As announcements have it. */
  readonly name: string;
  readonly traits: Traits;
  readonly frame: (id: string) => Frame;
}

/** What several of them name is sent with the last one: they would all say the same. */
function batchesOf(
  announced: readonly Named[],
  changes: readonly Change[],
  tenants: Tenants,
): Batch[] {
  const untold = new Map(changes.map((change) => [change.name, change]));
  const batches = announced.toReversed().map(({ mark, jobs, more }): Batch => {
    const size = jobs.length + (more ? 1 : 0);
    const told = jobs.flatMap((name, index): Told[] => {
      const change = untold.get(name);
      if (change === undefined) return [];
      untold.delete(name);
      const position = index + 1;
      return [{ position, job: change.traits, frame: change.frame(`${mark}.${position}`) }];
    });
    const frame = eventFrame({ type: 'more' }, `${mark}.${size}`);
    return { mark, size, jobs: told, more: more ? { frame, tenants } : null };
  });
  return batches.toReversed();
}
