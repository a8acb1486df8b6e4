import type { CallOptions, JobState } from '@millrace/api';
import { openNews } from '../connection/news.ts';
import type { Context } from '../context.ts';
import { isTransient } from '../failure.ts';
import { hasEnded } from '../jobs/ended.ts';
import { PATIENCE_MS } from '../jobs/follow.ts';
import { nextPauseMs } from '../jobs/rhythm.ts';

/** What one poll of a run found. */
export interface Status<Run> {
  readonly run: Run;
  readonly changed: boolean;
  /** The server has not answered since then: what is shown is old. */
  readonly silentSince: number | null;
}

export interface Followed<Run> {
  poll(): Promise<Run>;
  /** They only wake us: the truth is in each look. Left out: there are none, and it is looked at now and then. */
  events?(options: CallOptions): AsyncIterable<unknown>;
  hasEnded(run: Run): boolean;
  /** One that runs is looked at more often than one that waits. */
  isRunning(run: Run): boolean;
}

/** What is the same for all whose state is that of jobs. */
export const BY_STATE = {
  hasEnded: ({ state }: { readonly state: JobState }) => hasEnded(state),
  isRunning: ({ state }: { readonly state: JobState }) => state === 'PROCESSING',
};

/** Looks at a run whenever it changes, until it is over. A server may restart meanwhile. */
export async function* follow<Run>(
  context: Context,
  first: Run,
  followed: Followed<Run>,
): AsyncGenerator<Status<Run>> {
  const { world } = context;
  let run = first;
  yield { run, changed: true, silentSince: null };
  if (followed.hasEnded(run)) return;
  const events = followed.events?.bind(followed);
  const news = events === undefined ? null : openNews(context, events, () => true);
  let pauseMs: number | null = null;
  let silentSince: number | null = null;
  try {
    while (!followed.hasEnded(run)) {
      pauseMs = nextPauseMs(pauseMs, { running: followed.isRunning(run), dueInMs: null });
      if (news === null) await world.wait(pauseMs);
      let changed = false;
      if (news === null || (await news.next(pauseMs)) === 'news') {
        try {
          const found = await followed.poll();
          changed = JSON.stringify(found) !== JSON.stringify(run);
          if (changed && news !== null) pauseMs = null;
          run = found;
          silentSince = null;
        } catch (thrown) {
          silentSince ??= world.now();
          if (!isTransient(thrown) || world.now() - silentSince > PATIENCE_MS) throw thrown;
        }
      }
      yield { run, changed, silentSince };
    }
  } finally {
    news?.close();
  }
}
