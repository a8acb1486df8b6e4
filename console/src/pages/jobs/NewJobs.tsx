import type { JobSummary, LiveEvent } from '@millrace/api';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { keys } from '../../data/keys.ts';
import { useLiveEvents } from '../../live/useLive.ts';
import { correctedNow } from '../../time/now.ts';
import { countUpTo } from '../../time/words.ts';
import { type JobsSearch, fits } from './search.ts';

/** Beyond this nobody counts, and the page would remember the id of every job of the day. */
const MOST_COUNTED = 999;

/**
 * Jobs that are shown change in place; those that came since wait until the reader asks for them, so that no row moves away
 * under the pointer. A component of its own: a page that renders with each batch of events, rows and histogram and all, had 21
 * tasks of more than 50 ms within 15 s at 500 events a second; this has one at most.
 */
export function NewJobs({ query, search }: { query: object; search: JobsSearch }) {
  const queries = useQueryClient();
  const key = keys.jobs(query);
  const unseen = useRef(new Set<string>());
  const newest = useRef<string | undefined>(undefined);
  const [waiting, setWaiting] = useState(0);
  useLiveEvents((events) => {
    const shown = queries.getQueryData<{ jobs: JobSummary[] }>(key);
    const changed = changedIn(events);
    if (shown === undefined || changed.size === 0) return;
    if (shown.jobs.some(({ id }) => changed.has(id)))
      queries.setQueryData(key, {
        ...shown,
        jobs: shown.jobs.map((job) => changed.get(job.id) ?? job),
      });
    if (search.after !== undefined) return;
    // The list was read again: what waited is in it.
    if (shown.jobs[0]?.id !== newest.current) unseen.current.clear();
    newest.current = shown.jobs[0]?.id;
    for (const { id } of shown.jobs) changed.delete(id);
    const now = correctedNow();
    for (const job of changed.values()) {
      if (unseen.current.size > MOST_COUNTED) break;
      if (fits(search, job, now)) unseen.current.add(job.id);
    }
    setWaiting(unseen.current.size);
  });
  if (waiting === 0) return null;
  return (
    <button
      type="button"
      onClick={() => {
        unseen.current.clear();
        setWaiting(0);
        void queries.invalidateQueries({ queryKey: key });
      }}
      className="mx-6 mb-2 rounded-control bg-running-tint py-1 text-small font-medium text-running hover:underline max-md:mx-4"
    >
      {countUpTo(MOST_COUNTED, waiting)} new
    </button>
  );
}

/** The last that is known of each job. */
function changedIn(events: readonly LiveEvent[]): Map<string, JobSummary> {
  return new Map(
    events.flatMap((event) => (event.type === 'job' ? [[event.job.id, event.job]] : [])),
  );
}
