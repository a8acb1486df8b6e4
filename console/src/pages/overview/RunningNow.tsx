import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useApi } from '../../data/client.ts';
import { useNow } from '../../time/now.ts';
import { count, percent, span } from '../../time/words.ts';
import { Progress } from '../../ui/progress.tsx';
import { StateIcon } from '../../ui/state.tsx';

/** Running jobs, longest first. */
export function RunningNow() {
  const api = useApi();
  const now = useNow();
  const { data } = useQuery({
    queryKey: ['overview', 'running'],
    queryFn: () => api.listJobs({ query: { state: 'PROCESSING', limit: '50' } }),
    refetchInterval: 5_000,
  });
  const jobs = (data?.jobs ?? []).toSorted(
    (a, b) => Date.parse(a.startedAt ?? '') - Date.parse(b.startedAt ?? ''),
  );
  return (
    <section className="px-6 py-3 max-md:border-t max-md:border-line max-md:px-4">
      <div className="mb-1.5 flex items-baseline gap-2">
        <h2>Running now</h2>
        <span className="text-small text-ink-3">longest first</span>
        <Link
          to="/jobs"
          search={{ phase: 'running' }}
          className="ml-auto font-medium text-link hover:underline"
        >
          All {data !== undefined && count(jobs.length)}
        </Link>
      </div>
      {data?.jobs.length === 0 && <p className="py-2 text-ink-3">Nothing runs at this moment.</p>}
      <ul>
        {jobs.slice(0, 7).map((job) => {
          const done = job.progress?.done ?? 0;
          const total = job.progress?.total;
          return (
            <li key={job.id}>
              <Link
                to="/jobs/$id"
                params={{ id: job.id }}
                className="flex items-center gap-3 border-b border-line-soft py-1.5 hover:bg-hover"
              >
                <StateIcon phase="running" />
                <span className="min-w-0 flex-1">
                  <span className="block truncate">{job.key ?? job.id}</span>
                  <code className="block truncate text-ink-3">{job.kind}</code>
                </span>
                <span className="w-24 max-md:w-12">
                  <Progress
                    parts={[
                      total === undefined
                        ? { of: 'running', count: 1 }
                        : { of: 'done', count: done },
                    ]}
                    total={total ?? 1}
                    width={96}
                    label={total === undefined ? 'running' : `${count(done)} of ${count(total)}`}
                  />
                </span>
                <span className="w-18 text-right whitespace-nowrap">
                  <span className="block">
                    {total === undefined ? '' : percent(done / Math.max(total, 1), 0)}
                  </span>
                  <span className="text-small text-ink-3">
                    {job.startedAt === null ? '' : span(now - Date.parse(job.startedAt))}
                  </span>
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
