import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { count } from '../../time/words.ts';
import type { JobsSearch } from './search.ts';

interface View {
  readonly word: string;
  readonly search: JobsSearch;
  readonly count?: (counts: {
    states: Readonly<Record<string, number>>;
    scheduled: number;
  }) => number;
}

const VIEWS: readonly View[] = [
  { word: 'All', search: {} },
  {
    word: 'Running',
    search: { phase: 'running' },
    count: ({ states }) => states['PROCESSING'] ?? 0,
  },
  { word: 'Waiting', search: { state: 'QUEUED' }, count: ({ states }) => states['QUEUED'] ?? 0 },
  { word: 'Retrying', search: { phase: 'retrying' } },
  { word: 'Failed', search: { phase: 'failed' }, count: ({ states }) => states['FAILED'] ?? 0 },
  { word: 'Mine', search: { submitter: 'me' } },
];

/** Lists that people look at again and again. */
export function Views({ search }: { search: JobsSearch }) {
  const api = useApi();
  const { data } = useQuery({ queryKey: keys.counts(), queryFn: () => api.counts() });
  const { after: _, ...shown } = search;
  return (
    <nav
      aria-label="Views"
      className="flex flex-none gap-6 overflow-x-auto border-b border-line px-6 max-md:gap-4 max-md:px-4"
    >
      {VIEWS.map((view) => {
        const isShown = JSON.stringify(view.search) === JSON.stringify(shown);
        return (
          <Link
            key={view.word}
            to="/jobs"
            activeOptions={{ exact: true }}
            search={view.search}
            aria-current={isShown ? 'page' : undefined}
            className="relative flex h-11 flex-none items-center gap-1.5 whitespace-nowrap text-ink-2 hover:text-ink aria-[current=page]:font-[550] aria-[current=page]:text-ink aria-[current=page]:shadow-[inset_0_-2px_0_var(--link)]"
          >
            {view.word}
            {view.count !== undefined && data !== undefined && (
              <span className="font-normal text-ink-3">{count(view.count(data))}</span>
            )}
          </Link>
        );
      })}
    </nav>
  );
}
