import type { JobSummary } from '@millrace/api';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useLiveEvents } from '../../live/useLive.ts';
import { useKeys } from '../../shell/keys.ts';
import { Page } from '../../shell/Page.tsx';
import { correctedNow, useNow } from '../../time/now.ts';
import { Ago } from '../../time/Time.tsx';
import { count, plural } from '../../time/words.ts';
import { ButtonLink, Kbd } from '../../ui/button.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { BulkBar } from './BulkBar.tsx';
import { BulkStrip } from './bulk/BulkStrip.tsx';
import { FilterBox } from './FilterBox.tsx';
import { Histogram } from './Histogram.tsx';
import { JobTable } from './JobTable.tsx';
import { NoJobs } from './NoJobs.tsx';
import { fits, queryOf } from './search.ts';
import { useSelection } from './selection.ts';
import { Views } from './Views.tsx';

/** The list: views, filter, table, pages. All of what is shown is in the address. */
export function JobsPage() {
  const api = useApi();
  const navigate = useNavigate();
  const search = useSearch({ from: '/shell/jobs' });
  const { after: _, bulk, ...filter } = search;
  const query = queryOf(search, correctedNow());
  const answer = useQuery({
    queryKey: keys.jobs(query),
    queryFn: () => api.listJobs({ query }),
    placeholderData: keepPreviousData,
  });
  const jobs = answer.data?.jobs ?? [];
  const selection = useSelection(
    jobs.map(({ id }) => id),
    JSON.stringify(filter),
  );
  const fresh = useFresh(keys.jobs(query), search);
  const [at, setAt] = useState(-1);
  const move = (by: number): void => {
    const next = Math.min(Math.max(at + by, 0), jobs.length - 1);
    setAt(next);
    document.querySelector<HTMLElement>(`[data-row="${next}"] a`)?.focus();
  };
  const current = jobs[at];
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => current && selection.toggle(current.id),
    '/': () => document.getElementById('job-filter')?.focus(),
  });

  return (
    <Page
      title="Jobs"
      live
      note={
        answer.dataUpdatedAt > 0 && (
          <span>
            counted <Ago at={answer.dataUpdatedAt} />
          </span>
        )
      }
      scrolls={false}
      actions={
        <ButtonLink to="/jobs/new" icon={<Plus size={14} />}>
          Enqueue
        </ButtonLink>
      }
    >
      <Views search={search} />
      <FilterBox search={search} />
      <Histogram search={search} />
      {bulk !== undefined && <BulkStrip id={bulk} search={search} />}
      {fresh.count > 0 && (
        <button
          type="button"
          onClick={fresh.show}
          className="mx-6 mb-2 rounded-control bg-running-tint py-1 text-small font-medium text-running hover:underline max-md:mx-4"
        >
          {count(fresh.count)} new
        </button>
      )}
      <div
        className="min-h-0 flex-1 overflow-auto border-t border-line"
        aria-busy={answer.isPlaceholderData}
      >
        {answer.isError && (
          <div className="p-6">
            <Trouble error={answer.error} retry={() => void answer.refetch()} />
          </div>
        )}
        {answer.data?.missing !== undefined && answer.data.missing.length > 0 && (
          <p className="px-6 py-2 text-small text-retrying">
            No answer from {answer.data.missing.join(', ')}: jobs there are left out.
          </p>
        )}
        {answer.isSuccess && jobs.length === 0 ? (
          <NoJobs filtered={Object.values(filter).some((value) => value !== undefined)} />
        ) : (
          <JobTable jobs={jobs} selection={selection} current={at} onCurrent={setAt} />
        )}
      </div>
      {selection.chosen.size > 0 && <BulkBar selection={selection} filter={filter} />}
      <footer className="flex flex-none items-center gap-2 border-t border-line px-6 py-2 text-small text-ink-2 max-md:px-4">
        <span>{plural(jobs.length, 'job')} on this page, newest first</span>
        <span className="ml-auto text-ink-3 max-lg:hidden">
          <Kbd>J</Kbd>
          <Kbd>K</Kbd> move <Kbd>X</Kbd> select <Kbd>↵</Kbd> open
        </span>
        <Pager
          isFirst={search.after === undefined}
          next={answer.data?.next}
          onNext={(after) => void navigate({ to: '/jobs', search: { ...search, after } })}
        />
      </footer>
    </Page>
  );
}

/**
 * Jobs that are shown change in place; those that came since wait until the reader asks for them, so that no row moves
 * away under the pointer.
 */
function useFresh(key: readonly unknown[], search: Parameters<typeof fits>[0]) {
  const queries = useQueryClient();
  const now = useNow();
  // Added to in place: a copy for each batch of events was 41 long tasks in 20 s at 500 events a second.
  const unseen = useRef(new Set<string>());
  const [waiting, setWaiting] = useState(0);
  useLiveEvents((events) => {
    const shown = queries.getQueryData<{ jobs: JobSummary[] }>(key);
    if (shown === undefined) return;
    const changed = new Map(
      events.flatMap((event) => (event.type === 'job' ? [[event.job.id, event.job]] : [])),
    );
    if (changed.size === 0) return;
    const known = new Set(shown.jobs.map(({ id }) => id));
    if (shown.jobs.some(({ id }) => changed.has(id)))
      queries.setQueryData(key, {
        ...shown,
        jobs: shown.jobs.map((job) => changed.get(job.id) ?? job),
      });
    if (search.after !== undefined) return;
    const arrived = [...changed.values()].filter(
      (job) => !known.has(job.id) && fits(search, job, now),
    );
    for (const { id } of arrived) unseen.current.add(id);
    setWaiting(unseen.current.size);
  });
  return {
    count: waiting,
    show: () => {
      unseen.current.clear();
      setWaiting(0);
      void queries.invalidateQueries({ queryKey: key });
    },
  };
}
