import type { Client, Job } from '@millrace/api';
import type { Context } from '../context.ts';
import { hasEnded } from './ended.ts';
import { isTransient } from '../failure.ts';
import { type News, openNews } from '../connection/news.ts';
import { type Look, nextPauseMs } from './rhythm.ts';

/** How the jobs stood at one look. */
export interface Status {
  readonly jobs: readonly Job[];
  /** The ids of those that are not as at the look before. */
  readonly changed: ReadonlySet<string>;
  /** The server has not answered since then: what is shown is old. */
  readonly silentSince: number | null;
}

/** Ids asked for at the same time. */
const TOGETHER = 10;
/** A server may restart while it is watched; after so long it is gone. */
export const PATIENCE_MS = 60_000;

/** Looks at the jobs whenever something happens to one, until each has ended. The first look must succeed; later ones may wait. */
export async function* follow(context: Context, ids: readonly string[]): AsyncGenerator<Status> {
  const seen = await poll(context.client, ids);
  yield { jobs: seen, changed: new Set(ids), silentSince: null };
  if (seen.every(({ state }) => hasEnded(state))) return;
  const [id] = ids;
  const query = { topics: 'job', ...(ids.length === 1 && { id }) };
  const news = openNews(
    context,
    (options) => context.client.events({ query }, options),
    (event) => event.type === 'more' || (event.type === 'job' && ids.includes(event.job.id)),
  );
  try {
    yield* followNews(context, news, seen);
  } finally {
    news.close();
  }
}

async function* followNews(
  { client, world }: Context,
  news: News,
  first: readonly Job[],
): AsyncGenerator<Status> {
  let seen = first;
  let pauseMs: number | null = null;
  let silentSince: number | null = null;
  while (!seen.every(({ state }) => hasEnded(state))) {
    pauseMs = nextPauseMs(pauseMs, waitingFor(seen, world.now()));
    if ((await news.next(pauseMs)) === 'still') {
      yield { jobs: seen, changed: new Set(), silentSince };
      continue;
    }
    try {
      const jobs = await lookAgain(client, seen);
      const changed = changedIds(seen, jobs);
      if (changed.size > 0) pauseMs = null;
      seen = jobs;
      silentSince = null;
      yield { jobs, changed, silentSince };
    } catch (thrown) {
      silentSince ??= world.now();
      if (!isTransient(thrown) || world.now() - silentSince > PATIENCE_MS) throw thrown;
      yield { jobs: seen, changed: new Set(), silentSince };
    }
  }
}

async function poll(client: Client, ids: readonly string[]): Promise<Job[]> {
  const jobs: Job[] = [];
  for (let first = 0; first < ids.length; first += TOGETHER) {
    const group = ids.slice(first, first + TOGETHER);
    jobs.push(...(await Promise.all(group.map((id) => client.getJob({ params: { id } })))));
  }
  return jobs;
}

/** Ended jobs are not fetched again. */
async function lookAgain(client: Client, seen: readonly Job[]): Promise<Job[]> {
  const alive = seen.filter(({ state }) => !hasEnded(state)).map(({ id }) => id);
  const fresh = new Map((await poll(client, alive)).map((job) => [job.id, job]));
  return seen.map((job) => fresh.get(job.id) ?? job);
}

function changedIds(before: readonly Job[], after: readonly Job[]): Set<string> {
  const changed = after.filter((job, index) => fingerprint(job) !== fingerprint(before[index]));
  return new Set(changed.map(({ id }) => id));
}

/** Everything but the lease, which is renewed all the time. */
function fingerprint(job: Job | undefined): string {
  return JSON.stringify({ ...job, leaseUntil: null, data: null });
}

function waitingFor(jobs: readonly Job[], now: number): Look {
  const due = jobs
    .filter(({ state }) => state === 'QUEUED')
    .map(({ runAt }) => Date.parse(runAt) - now);
  const ahead = due.filter((ms) => ms > 0);
  return {
    running: jobs.some(({ state }) => state === 'PROCESSING'),
    dueInMs: ahead.length === 0 ? null : Math.min(...ahead),
  };
}
