import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useKeys } from '../../shell/keys.ts';
import { Page } from '../../shell/Page.tsx';
import { correctedNow } from '../../time/now.ts';
import { Ago } from '../../time/Time.tsx';
import { plural } from '../../time/words.ts';
import { ButtonLink, Kbd } from '../../ui/button.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Trouble } from '../../ui/trouble.tsx';
import { BulkBar } from './BulkBar.tsx';
import { BulkStrip } from './bulk/BulkStrip.tsx';
import { FilterBox } from './FilterBox.tsx';
import { Histogram } from './Histogram.tsx';
import { JobTable } from './JobTable.tsx';
import { NewJobs } from './NewJobs.tsx';
import { queryOf } from './search.ts';
import { useSelection } from './selection.ts';
import { Views } from './Views.tsx';
import { Empty } from '../../ui/empty.tsx';

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
      <NewJobs key={JSON.stringify(query)} query={query} search={search} />
      {/* `relative`: what is placed in a row counts as part of this list, and not of the page around it. */}
      <div
        className="relative min-h-0 flex-1 overflow-auto border-t border-line"
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
        <span>
          {answer.data === undefined
            ? answer.isError
              ? ''
              : 'Loading …'
            : `${plural(jobs.length, 'job')} on this page, newest first`}
        </span>
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

/** The empty list: no jobs yet, or none that match. */
function NoJobs({ filtered }: { filtered: boolean }) {
  if (filtered) {
    return (
      <Empty
        title="No matching jobs"
        action={
          <ButtonLink to="/jobs" search={{}}>
            Show all jobs
          </ButtonLink>
        }
      >
        No job matches this filter. Remove parts of it to see more.
      </Empty>
    );
  }
  return (
    <Empty
      title="No jobs yet"
      action={
        <>
          <ButtonLink look="filled" to="/jobs/new">
            Enqueue a job
          </ButtonLink>
          <ButtonLink to="/welcome">Take the tour</ButtonLink>
        </>
      }
    >
      A job is a kind and its data. Files in <code>jobs/</code> declare kinds; a button, the API, a
      schedule or another job makes jobs of them.
    </Empty>
  );
}
