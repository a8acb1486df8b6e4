import type { JobId, JobSummary } from '@millrace/engine';
import type { Announcements } from '@millrace/store-postgres';
import type { Timers } from '../timers.ts';
import type { Poll } from './poll.ts';

/** The other processes: heard where notifications pass, else looked at every two seconds. */
export interface Others {
  /** Which of the two it is can change while the process runs, and nobody knows when it did: asked again and again. */
  follow(): void;
  /** The changes since the last poll. */
  look(watched: readonly JobId[]): Promise<{ jobs: JobSummary[]; more: boolean }>;
}

const POLL_EVERY_MS = 2_000;

export function createOthers(params: {
  announcements: Announcements;
  timers: Timers;
  poll: Poll;
  /** Gives a number that is another one each time that the counts have changed. */
  count: () => Promise<number>;
  isKeeping: () => boolean;
  /** The way has changed: what happened in between is not known. */
  onGap: () => void;
  /** It is time to look. */
  onPoll: () => void;
}): Others {
  const { announcements, timers, poll, count, isKeeping, onGap, onPoll } = params;
  let arrived = announcements.arrive();
  let countsSeen: number | null = null;

  function follow(): void {
    if (!isKeeping()) return;
    const arrive = announcements.arrive();
    if (arrive !== arrived) onGap();
    arrived = arrive;
    if (!arrive) timers.once('poll', POLL_EVERY_MS, pollOnce);
  }

  function pollOnce(): void {
    if (!isKeeping() || announcements.arrive()) return;
    onPoll();
    timers.once('poll', POLL_EVERY_MS, pollOnce);
  }

  return {
    follow,
    /** Unseen changes by others show in the counts. */
    async look(watched) {
      const counts = await count();
      const jobs = await poll.runOnce(watched);
      const more = countsSeen !== null && countsSeen !== counts;
      countsSeen = counts;
      return { jobs, more };
    },
  };
}
